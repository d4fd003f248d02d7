"""Waiting until files are written to, without polling: inotify(7), which Python's library does not offer."""

from __future__ import annotations

import ctypes
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IN_MODIFY = 0x2

_libc = ctypes.CDLL(None, use_errno=True)


class Inotify:
    """Watches existing files. A write between two waits ends the second one at once."""

    def __init__(self, fd: int) -> None:
        self.descriptor = fd

    def wait(self, seconds: float | None, *others: int) -> bool:
        """Whether a file was written to within `seconds` (None: without limit).

        Returns early when one of the descriptors `others` is readable.
        """
        readable, _, _ = select.select(
            [self.descriptor, *others], [], [], None if seconds is None else max(0.0, seconds)
        )
        if self.descriptor not in readable:
            return False
        os.read(self.descriptor, 65536)
        return True


@contextmanager
def watching(*paths: Path) -> Iterator[Inotify]:
    """Raises OSError when a file is missing or the kernel's limit of watches is reached."""
    fd = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        for path in paths:
            if fd < 0 or _libc.inotify_add_watch(fd, os.fsencode(path), IN_MODIFY) < 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), os.fspath(path))
        yield Inotify(fd)
    finally:
        if fd >= 0:
            os.close(fd)
