"""Manifests and the two input files in one directory: they may say the same, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inputs.document.findings import Finding
from inputs.document.source import Path, Source
from inputs.schema.agent_config import AgentConfig
from inputs.schema.install_config import InstallConfig

_NOT_COMPARED: dict[type, Any] = {
    # Nothing uses the pull secret, and the manifest has it in another form. Hosts have been taken into the other file.
    InstallConfig: {
        "api_version": True, "kind": True, "compute": True, "pull_secret": True, "platform": {"baremetal": {"hosts"}},
    },
    AgentConfig: {"api_version": True, "kind": True, "metadata": True},
}  # fmt: skip


def contradictions(
    model: InstallConfig | AgentConfig, source: Source, other: InstallConfig | AgentConfig, other_source: Source
) -> Iterator[Finding]:
    """`model` and `source` are the manifests' view of the file, `other` and `other_source` are the file's own."""
    for path in _differences(_values(model), _values(other), ()):
        there = other_source.finding(path, "", "", "")
        says = there.value or "nothing, or a secret,"
        yield source.finding(
            path, "manifests-contradict-inputs",
            f"{there.file}:{there.line} says {says} in {there.path}; this manifest says something else.",
            "Move install-config.yaml and agent-config.yaml elsewhere to use the manifests; or write these anew from "
            "the two files with `cluster0 create manifests --force`.",
        )  # fmt: skip


def _values(model: InstallConfig | AgentConfig) -> dict[str, Any]:
    values = model.model_dump(mode="json", by_alias=True, exclude=_NOT_COMPARED[type(model)])
    return {**values, "compute": model.worker_replicas} if isinstance(model, InstallConfig) else values


def _differences(one: Any, other: Any, path: Path) -> Iterator[Path]:
    """The deepest places at which the two are not the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one | other:
            yield from _differences(one.get(key), other.get(key), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differences(left, right, (*path, index))
    elif one != other:
        yield path
