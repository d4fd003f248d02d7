"""The size of an ISO, by its parts."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

_SHARES = {
    # Longest path first: a file counts for the first row that contains it.
    "usr/share/cluster0/images": "container images, unpacked",
    "usr/lib/cluster0": "our programs",
    "usr/lib/modules": "kernel modules",
    "usr/lib/firmware": "firmware",
    "usr/bin": "programs (Kubernetes', containerd's, Debian's)",
    "usr/lib/python3": "Python libraries",
    "usr": "everything else",
    "": "configuration and state",
}


@dataclass(frozen=True)
class Size:
    what: str
    bytes: int


def tree_sizes(root: Path) -> list[Size]:
    """Bytes of files below `root` before compression, by purpose; hard links count once."""
    totals = dict.fromkeys(_SHARES, 0)
    seen: set[int] = set()
    for directory, _, names in os.walk(root):
        for name in names:
            entry = os.lstat(os.path.join(directory, name))  # noqa: PTH118 - tens of thousands of files
            if stat.S_ISREG(entry.st_mode) and entry.st_ino not in seen:
                seen.add(entry.st_ino)
                totals[_share(os.path.relpath(directory, root))] += entry.st_size
    return [Size(what, totals[path]) for path, what in _SHARES.items()]


def _share(directory: str) -> str:
    return next(path for path in _SHARES if not path or directory == path or directory.startswith(f"{path}/"))


def show(iso: list[Size], tree: list[Size], console: Console) -> None:
    """Prints a table: the parts of the ISO, and of its root image."""
    table = Table("part", "MB", title="Size of the ISO")
    table.columns[1].justify = "right"
    for size in iso:
        table.add_row(size.what, _megabytes(size.bytes))
    table.add_section()
    table.add_row("root image before compression", _megabytes(sum(size.bytes for size in tree)))
    for size in tree:
        table.add_row(f"  {size.what}", _megabytes(size.bytes))
    console.print(table)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f}"
