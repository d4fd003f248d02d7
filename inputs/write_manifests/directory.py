"""Puts the manifests into DIR: all of them or none, and never over what somebody has edited."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from agent.machine.files import Files
from agent.machine.writing import writing
from agent.model.problems import Problem
from inputs.manifests import DIRECTORY


def write_manifests(directory: Path, texts: Mapping[str, str], *, force: bool) -> list[Path]:
    """The files in `directory`/cluster-manifests, each 0600: a proxy's password may be in any of them.

    `force`: replace what is there. Problem: `manifests-edited`, `output-not-writable`.
    """
    target = directory / DIRECTORY
    there = _contents(target)
    if there != texts:
        if there and not force:
            raise _edited(target, there, texts)
        with writing(target):
            _replace(target, texts)
    return [target / name for name in texts]


def _contents(target: Path) -> dict[str, str]:
    """What is there; unreadable text is some text, and not ours."""
    if not target.is_dir():
        return {}
    return {path.name: path.read_text(errors="replace") if path.is_file() else "" for path in target.iterdir()}


def _edited(target: Path, there: Mapping[str, str], texts: Mapping[str, str]) -> Problem:
    different = sorted(name for name in there.keys() | texts.keys() if there.get(name) != texts.get(name))
    return Problem(
        code="manifests-edited",
        title=f"{target} holds manifests that the two input files would not give. Nothing was written.",
        detail="\n".join(f"{target / name} {_fate(name, there, texts)}" for name in different),
        remedy="Keep them elsewhere, or write new ones with --force, which ends what was edited.",
    )


def _fate(name: str, there: Mapping[str, str], texts: Mapping[str, str]) -> str:
    if name not in texts:
        return "would be removed"
    return "would be changed" if name in there else "is missing"


def _replace(target: Path, texts: Mapping[str, str]) -> None:
    """By two renames. Whatever ends us between them, what was there is put back."""
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
