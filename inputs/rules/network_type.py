"""Is the network plugin one that means something here, and named once?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts
from inputs.schema.install_config import OPENSHIFT_PLUGINS


def network_plugin_is_named_once(facts: Facts) -> Iterator[Finding]:
    plugin = next(facts.install.find(str, "kubernetes", "networkPlugin"), None)
    for place in facts.install.find(str, "networking", "networkType"):
        if place.value in OPENSHIFT_PLUGINS:
            rule = f"This field is ignored: {place.value} is OpenShift's, and the payload in the base ISO has another."
            yield place.warning("field-ignored", rule, "Remove it to end this warning.")
        elif plugin and plugin.value != place.value:
            yield place.error(
                "network-plugin-contradiction",
                f"The network plugin is {place.value} here and {plugin.value} at {plugin.where}.",
                "Keep kubernetes.networkPlugin alone.",
            )
