"""The network plugin is one for plain Kubernetes, and named once."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.install_config import OPENSHIFT_PLUGINS, InstallConfig

_NETWORK_PLUGIN = field_path(InstallConfig, str, "kubernetes.networkPlugin")
_NETWORK_TYPE = field_path(InstallConfig, str, "networking.networkType")


def network_plugin_is_named_once(facts: Facts) -> Iterator[Finding]:
    plugin = facts.install.first(_NETWORK_PLUGIN)
    for place in facts.install.find(_NETWORK_TYPE):
        if place.value in OPENSHIFT_PLUGINS:
            rule = f"This field is ignored: {place.value} is OpenShift's, and the base ISO has another plugin."
            yield place.warning("field-ignored", rule, "Remove it to silence this warning.")
        elif plugin and plugin.value != place.value:
            yield place.error(
                "network-plugin-contradiction",
                f"The network plugin is {place.value} here and {plugin.value} at {plugin.where}.",
                "Keep kubernetes.networkPlugin only.",
            )
