"""Equal inputs give equal bytes: the latest time stamp of a build, and a digest of a directory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

_DEFAULT_EPOCH = 1754697600
"""2025-08-09, the day Debian 13 was released. Any constant serves: it must be the same in every build."""


def source_date_epoch() -> int:
    """The latest time stamp in anything we build, seconds since 1970: `SOURCE_DATE_EPOCH`, or a constant.

    https://reproducible-builds.org/specs/source-date-epoch/
    """
    return int(os.environ.get("SOURCE_DATE_EPOCH") or _DEFAULT_EPOCH)


def tree_hash(root: Path, *, included: Callable[[Path], bool] = lambda _: True) -> str:
    """SHA-256, hexadecimal, of names, kinds, modes and contents of all paths below `root` that are `included`.

    Owners and times do not count.
    """
    whole = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if included(path):
            whole.update(hashlib.sha256(_entry(root, path)).digest())
    return whole.hexdigest()


def _entry(root: Path, path: Path) -> bytes:
    name = os.fsencode(path.relative_to(root))
    if path.is_symlink():
        return name + b"\0link\0" + os.fsencode(path.readlink())
    if path.is_dir():
        return name + b"\0directory"
    return name + b"\0%o\0" % (path.stat().st_mode & 0o777) + path.read_bytes()
