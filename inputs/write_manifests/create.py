"""`cluster0 create manifests`: load, convert to text, load the text again, then put it into DIR.

All manifests are replaced or none, and never those that the user has edited.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent.machine.files import Files
from agent.model.problems import Problem
from agent.model.write_errors import report_write_errors
from inputs.document.findings import Finding
from inputs.load import LoadResult, load_input_files, load_manifests, require_agreement
from inputs.manifests import DIRECTORY
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
    """ValueError, a bug in cluster0: the manifests do not agree with the files."""
    with tempfile.TemporaryDirectory(prefix="cluster0-manifests-") as scratch:
        for name, text in texts.items():
            Files(Path(scratch, DIRECTORY)).write(name, text, mode=0o600)
        found = require_agreement(load_manifests(Path(scratch)), loaded)
    if found.inputs is None:
        raise ValueError("; ".join(f"{finding.path}: {finding.rule}" for finding in found.findings))


def write_manifests(directory: Path, texts: Mapping[str, str], *, force: bool) -> list[Path]:
    """The files in `directory`/cluster-manifests, each 0600: a proxy's password may be in any of them.

    `force`: replace what is there. Problem: `manifests-edited`, `output-not-writable`.
    """
    target = directory / DIRECTORY
    there = _contents(target)
    if there != texts:
        if there and not force:
            raise _edited(target, there, texts)
        with report_write_errors(target):
            _replace(target, texts)
    return [target / name for name in texts]


def _contents(target: Path) -> dict[str, str]:
    """Name of each file → its content. Bytes that are not UTF-8 are replaced, so such a file counts as edited."""
    if not target.is_dir():
        return {}
    return {path.name: path.read_text(errors="replace") if path.is_file() else "" for path in target.iterdir()}


def _edited(target: Path, there: Mapping[str, str], texts: Mapping[str, str]) -> Problem:
    different = sorted(name for name in there.keys() | texts.keys() if there.get(name) != texts.get(name))
    return Problem(
        code="manifests-edited",
        title=f"{target} holds manifests that differ from the two input files. Nothing was written.",
        detail="\n".join(f"{target / name} {_fate(name, there, texts)}" for name in different),
        remedy="Keep them elsewhere, or replace them with --force, which discards the edits.",
    )


def _fate(name: str, there: Mapping[str, str], texts: Mapping[str, str]) -> str:
    if name not in texts:
        return "would be removed"
    return "would be changed" if name in there else "is missing"


def _replace(target: Path, texts: Mapping[str, str]) -> None:
    """Replace the directory `target` by two renames. If the second one fails, the old manifests are put back."""
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as scratch:
        new = Path(scratch, "new")
        new.mkdir(mode=0o700)
        files = Files(new)
        for name, text in texts.items():
            files.write(name, text, mode=0o600)
        old = Path(scratch, "old")
        try:
            if target.exists():
                target.rename(old)
            new.rename(target)
        except BaseException:
            if old.exists() and not target.exists():
                old.rename(target)
            raise
