"""Notice when a file is replaced (inotify), by ctypes: two calls need no dependency."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from pathlib import Path

IN_MOVED_TO = 0x80
BURST = 4096


def replacements(directory: Path) -> Generator[None, None, None]:
    """One item at once, then one each time a file in `directory` was replaced by rename, as `Files.write` does."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = _checked(libc.inotify_init1(os.O_CLOEXEC))
    try:
        _checked(libc.inotify_add_watch(descriptor, os.fsencode(directory), IN_MOVED_TO))
        while True:
            yield
            os.read(descriptor, BURST)
    finally:
        os.close(descriptor)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
