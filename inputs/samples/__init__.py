"""The commented inputs that `cluster0 create config` writes: one directory per topology, valid as they are."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from agent.machine.files import Files
from agent.model.problems import Problem
from agent.model.write_errors import report_write_errors
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG

TOPOLOGIES = ("sno", "compact", "ha", "ha5")


def write_samples(topology: str, directory: Path) -> list[Path]:
    """The files written, all or none. Problem: `file-exists`, `no-space`, `output-not-writable`."""
    targets = [directory / name for name in (INSTALL_CONFIG, AGENT_CONFIG)]
    taken = [str(path) for path in targets if path.exists()]
    if taken:
        raise Problem(
            code="file-exists",
            title=f"{' and '.join(taken)} would be overwritten.",
            remedy="Move what is there, or name another --dir.",
        )
    samples = {path: (resources.files(__name__) / topology / path.name).read_text() for path in targets}
    files = Files(directory)
    written: list[Path] = []
    try:
        for path, text in samples.items():
            with report_write_errors(path):
                written.append(files.write(path.name, text))
    except BaseException:
        for path in written:
            path.unlink()
        raise
    return written
