"""Directory trees: copies by hard links, and files that replace theirs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from cli.command import Commands

_COPY_SECONDS = 600


def linked_copy(source: Path, target: Path, commands: Commands) -> Path:
    """Makes `target` a copy of `source` whose files are hard links: a second for a whole root file system.

    Callers that change a file of the copy must replace it, never write into it. Both are on one file system.
    """
    commands.run(["cp", "--archive", "--link", source, target], timeout=_COPY_SECONDS)
    return target


def lay_over(source: Path, target: Path) -> None:
    """Copies every file below `source` to the same place below `target`, replacing existing files."""
    for path in files(source):
        put(path, target / path.relative_to(source))


def files(root: Path) -> Iterator[Path]:
    """All files below `root`, in a fixed order, without `__pycache__`."""
    return (path for path in sorted(root.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def put(source: Path, target: Path) -> None:
    """Copies one file; its mode is 0755 if the source is executable, else 0644, independent of the checkout's umask."""
    make_parents(target)
    target.unlink(missing_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if source.stat().st_mode & 0o100 else 0o644)


def put_text(text: str, target: Path, mode: int = 0o644) -> None:
    make_parents(target)
    target.unlink(missing_ok=True)
    target.write_text(text)
    target.chmod(mode)


def put_link(to: str, target: Path) -> None:
    make_parents(target)
    target.unlink(missing_ok=True)
    target.symlink_to(to)


def make_parents(target: Path) -> None:
    for directory in reversed(target.parents):
        if not directory.exists():
            directory.mkdir()
            directory.chmod(0o755)
