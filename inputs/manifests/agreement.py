"""Manifests and the two input files in one directory must agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inputs.document.findings import Finding
from inputs.document.source import Path, Source
from inputs.schema.agent_config import AgentConfig
from inputs.schema.install_config import InstallConfig

_NOT_COMPARED: dict[type, Any] = {
    # The pull secret is not used, and its manifest has another form. Hosts are compared in agent-config.yaml.
    InstallConfig: {
        "api_version": True, "kind": True, "compute": True, "pull_secret": True, "platform": {"baremetal": {"hosts"}},
    },
    AgentConfig: {"api_version": True, "kind": True, "metadata": True},
}  # fmt: skip


def contradictions(
    model: InstallConfig | AgentConfig, source: Source, other: InstallConfig | AgentConfig, other_source: Source
) -> Iterator[Finding]:
    """`model`, `source`: the file as assembled from the manifests. `other`, `other_source`: the file itself."""
    for path in _differences(_values(model), _values(other), ()):
        there = other_source.finding(path, "", "", "")
        says = there.value or "nothing, or a secret,"
        yield source.finding(
            path, "manifests-contradict-inputs",
            f"{there.file}:{there.line} says {says} in {there.path}; this manifest says something else.",
            "Move install-config.yaml and agent-config.yaml elsewhere to use the manifests; or regenerate these "
            "from the two files with `cluster0 create manifests --force`.",
        )  # fmt: skip


def _values(model: InstallConfig | AgentConfig) -> dict[str, Any]:
    values = model.model_dump(mode="json", by_alias=True, exclude=_NOT_COMPARED[type(model)])
    return {**values, "compute": model.worker_replicas} if isinstance(model, InstallConfig) else values


def _differences(one: Any, other: Any, path: Path) -> Iterator[Path]:
    """The deepest paths at which the two differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one | other:
            yield from _differences(one.get(key), other.get(key), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differences(left, right, (*path, index))
    elif one != other:
        yield path
