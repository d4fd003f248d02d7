"""The commented inputs that `cluster0 create config` writes: one directory a topology, valid as they are."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from agent.api.problems import Problem
from image_build.inputs.load import AGENT_CONFIG, INSTALL_CONFIG

TOPOLOGIES = ("sno", "compact", "ha")


def write_samples(topology: str, directory: Path) -> list[Path]:
    """The files written. Problem `file-exists`: one of them is there; then none is written."""
    directory.mkdir(parents=True, exist_ok=True)
    targets = [directory / name for name in (INSTALL_CONFIG, AGENT_CONFIG)]
    taken = [str(path) for path in targets if path.exists()]
    if taken:
        raise Problem(
            code="file-exists",
            title=f"{' and '.join(taken)} would be overwritten.",
            remedy="Move what is there, or name another --dir.",
        )
    for path in targets:
        path.write_text((resources.files(__name__) / topology / path.name).read_text())
    return targets
