"""Hands a payload out of the cache: hard links where the file system allows them, copies elsewhere."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from agent.model.problems import Problem
from image_build.payload.assemble import MANIFEST


def deliver(entry: Path, output: Path) -> None:
    """Make `output` the payload `entry`. An older payload there is replaced in one step, anything else is refused."""
    output = output.resolve()
    if output.exists() and not (output / MANIFEST).exists() and (not output.is_dir() or any(output.iterdir())):
        raise Problem(
            code="output-in-use",
            title=f"{output} exists and is not a payload",
            remedy="Give an empty or a new directory with -o.",
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh, stale = (output.with_name(f".{output.name}.{word}") for word in ("new", "old"))
    for leftover in (fresh, stale):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        shutil.copytree(entry, fresh, copy_function=_link_or_copy)
        if output.exists():
            output.rename(stale)
        fresh.rename(output)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(stale, ignore_errors=True)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
