"""One digest for a directory: names, kinds, modes and contents, in a fixed order; owners and times do not count."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path


def tree_hash(root: Path, *, wanted: Callable[[Path], bool] = lambda _: True) -> str:
    """SHA-256, hexadecimal, of all below `root` that is `wanted` (asked with the path as found)."""
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if wanted(path):
            whole.update(hashlib.sha256(_entry(root, path)).digest())
    return whole.hexdigest()


def _entry(root: Path, path: Path) -> bytes:
    name = os.fsencode(path.relative_to(root))
    if path.is_symlink():
        return name + b"\0link\0" + os.fsencode(path.readlink())
    if path.is_dir():
        return name + b"\0directory"
    return name + b"\0%o\0" % (path.stat().st_mode & 0o777) + path.read_bytes()
