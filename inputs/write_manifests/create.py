"""The story of `cluster0 create manifests`: read, write as text, read that back, and only then put it into place."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from agent.machine.files import Files
from inputs.document.findings import Finding
from inputs.load import Examination, agreed, examine_files, examine_manifests
from inputs.manifests import DIRECTORY
from inputs.write_manifests.directory import write_manifests
from inputs.write_manifests.write import manifests


@dataclass(frozen=True)
class Created:
    files: tuple[Path, ...]
    warnings: tuple[Finding, ...]


def create(directory: Path, *, force: bool) -> Created:
    """Problem: `ConfigurationError`; those of `write_manifests`."""
    examination = examine_files(directory)
    texts = manifests(examination.accepted())
    _check(texts, examination)
    return Created(tuple(write_manifests(directory, texts, force=force)), examination.findings)


def _check(texts: dict[str, str], examination: Examination) -> None:
    """ValueError, a bug of ours: the manifests would say something else than the files."""
    with tempfile.TemporaryDirectory(prefix="cluster0-manifests-") as scratch:
        for name, text in texts.items():
            Files(Path(scratch, DIRECTORY)).write(name, text, mode=0o600)
        found = agreed(examine_manifests(Path(scratch)), examination)
    if found.inputs is None:
        raise ValueError("; ".join(f"{finding.path}: {finding.rule}" for finding in found.findings))
