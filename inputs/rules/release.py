"""Does the base ISO carry what the inputs ask for? Asked where there is one."""

from __future__ import annotations

from collections.abc import Iterator

from agent.model.payload import PayloadManifest
from inputs.document.findings import Finding
from inputs.rules.facts import Facts
from inputs.schema.install_config import OPENSHIFT_PLUGINS

_REMEDY = "Name another base ISO with --base-iso, or correct this."


def release_fits(facts: Facts, payload: PayloadManifest) -> Iterator[Finding]:
    for place in facts.install.find(str, "kubernetes", "version"):
        if place.value.removeprefix("v") != payload.kubernetes_version.removeprefix("v"):
            rule = f"The base ISO has Kubernetes {payload.kubernetes_version}, not {place.value}."
            yield place.error("version-not-in-base-iso", rule, _REMEDY)
    for path in (("kubernetes", "networkPlugin"), ("networking", "networkType")):
        for place in facts.install.find(str, *path):
            if place.value not in {payload.network_plugin, *OPENSHIFT_PLUGINS}:
                rule = f"The base ISO has the network plugin {payload.network_plugin}, not {place.value}."
                yield place.error("network-plugin-not-in-base-iso", rule, _REMEDY)
