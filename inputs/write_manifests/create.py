"""The story of `cluster0 create manifests`: read, write as text, read that back, and only then put it into place."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from agent.machine.files import Files
from inputs.document.findings import Finding
from inputs.load import LoadResult, load_input_files, load_manifests, require_agreement
from inputs.manifests import DIRECTORY
from inputs.write_manifests.directory import write_manifests
from inputs.write_manifests.write import manifests


@dataclass(frozen=True)
class Created:
    files: tuple[Path, ...]
    warnings: tuple[Finding, ...]


def create(directory: Path, *, force: bool) -> Created:
    """Problem: `ConfigurationError`; those of `write_manifests`."""
    loaded = load_input_files(directory)
    texts = manifests(loaded.valid_inputs())
    _check(texts, loaded)
    return Created(tuple(write_manifests(directory, texts, force=force)), loaded.findings)


def _check(texts: dict[str, str], loaded: LoadResult) -> None:
    """ValueError, a bug of ours: the manifests would say something else than the files."""
    with tempfile.TemporaryDirectory(prefix="cluster0-manifests-") as scratch:
        for name, text in texts.items():
            Files(Path(scratch, DIRECTORY)).write(name, text, mode=0o600)
        found = require_agreement(load_manifests(Path(scratch)), loaded)
    if found.inputs is None:
        raise ValueError("; ".join(f"{finding.path}: {finding.rule}" for finding in found.findings))
