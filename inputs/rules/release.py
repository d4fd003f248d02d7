"""The base ISO carries the requested version of Kubernetes and network plugin."""

from __future__ import annotations

from collections.abc import Iterator

from agent.model.payload import PayloadManifest
from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.schema.install_config import OPENSHIFT_PLUGINS, InstallConfig

_VERSION = field_path(InstallConfig, str, "kubernetes.version")
_PLUGINS = (
    field_path(InstallConfig, str, "kubernetes.networkPlugin"),
    field_path(InstallConfig, str, "networking.networkType"),
)
_REMEDY = "Name another base ISO with --base-iso, or correct this."


def release_fits(facts: Facts, payload: PayloadManifest) -> Iterator[Finding]:
    for place in facts.install.find(_VERSION):
        if place.value.removeprefix("v") != payload.kubernetes_version.removeprefix("v"):
            rule = f"The base ISO has Kubernetes {payload.kubernetes_version}, not {place.value}."
            yield place.error("version-not-in-base-iso", rule, _REMEDY)
    for path in _PLUGINS:
        for place in facts.install.find(path):
            if place.value not in {payload.network_plugin, *OPENSHIFT_PLUGINS}:
                rule = f"The base ISO has the network plugin {payload.network_plugin}, not {place.value}."
                yield place.error("network-plugin-not-in-base-iso", rule, _REMEDY)
