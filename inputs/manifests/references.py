"""Checks how manifests refer to each other: by name, and by the labels that the InfraEnv selects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inputs.document.findings import Finding
from inputs.document.source import Path, Source
from inputs.manifests.kinds import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    INFRA_ENV,
    NMSTATE_CONFIG,
    PULL_SECRET_KIND,
    Kind,
)

REFERENCES: tuple[tuple[Kind, Path, Kind], ...] = (
    (AGENT_CLUSTER_INSTALL, ("spec", "clusterDeploymentRef", "name"), CLUSTER_DEPLOYMENT),
    (AGENT_CLUSTER_INSTALL, ("spec", "imageSetRef", "name"), CLUSTER_IMAGE_SET),
    (CLUSTER_DEPLOYMENT, ("spec", "clusterInstallRef", "name"), AGENT_CLUSTER_INSTALL),
    (CLUSTER_DEPLOYMENT, ("spec", "pullSecretRef", "name"), PULL_SECRET_KIND),
    (INFRA_ENV, ("spec", "clusterRef", "name"), CLUSTER_DEPLOYMENT),
    (INFRA_ENV, ("spec", "pullSecretRef", "name"), PULL_SECRET_KIND),
)
SELECTOR: Path = ("spec", "nmStateConfigLabelSelector")

Documents = Mapping[Kind, list[Source]]


def references_resolve(documents: Documents) -> Iterator[Finding]:
    """`manifest-reference`: a reference names an object that no manifest has."""
    for kind, path, target in REFERENCES:
        for source in documents[kind]:
            for place in source.find(str, *path):
                if not any(place.value == name for name in _names(documents[target])):
                    rule = f"No {target.kind} in {target.file} has the name {place.value}."
                    yield place.error("manifest-reference", rule, f"Write the metadata.name of the {target.kind}.")


def nmstate_configs_are_selected(documents: Documents) -> Iterator[Finding]:
    """`manifest-not-selected`: an NMStateConfig lacks labels that the InfraEnv selects, as in assisted-service."""
    selectors = [place for source in documents[INFRA_ENV] for place in source.find(dict, *SELECTOR, "matchLabels")]
    selected = {key: value for place in selectors for key, value in place.value.items()}
    for source in documents[NMSTATE_CONFIG]:
        labels = next((place.value for place in source.find(dict, "metadata", "labels")), {})
        if not labels or not selected.items() <= labels.items():
            needed = ", ".join(f"{key}: {value}" for key, value in selected.items()) or "any label"
            yield source.finding(
                ("metadata", "labels"), "manifest-not-selected",
                f"The InfraEnv does not select this {NMSTATE_CONFIG.kind}: it needs the labels {needed}.",
                f"Correct the labels, or the selector in {INFRA_ENV.file}.",
            )  # fmt: skip


def nmstate_config_names_are_unique(documents: Documents) -> Iterator[Finding]:
    """`manifest-name-duplicate`: two NMStateConfigs have the same name."""
    seen: set[str] = set()
    for source in documents[NMSTATE_CONFIG]:
        for place in source.find(str, "metadata", "name"):
            if place.value in seen:
                rule = f"Two {NMSTATE_CONFIG.kind}s have the name {place.value}."
                yield place.error("manifest-name-duplicate", rule, "Give each another name.")
            seen.add(place.value)


def _names(sources: list[Source]) -> Iterator[str]:
    return (place.value for source in sources for place in source.find(str, "metadata", "name"))
