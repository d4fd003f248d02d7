"""A state file system that fails while Kubernetes starts on it is a named problem, and no bug."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from agent.model.host_paths import STATE_MOUNT
from agent.model.problems import Problem

_FULL = {errno.ENOSPC, errno.EDQUOT}
_BROKEN = {errno.EIO, errno.EROFS}
_AGAIN = "Then start this host again from the ISO: its install starts over."


@contextmanager
def named_disk_errors() -> Iterator[None]:
    """Raise the body's OSError as Problem `disk-full` or `disk-error`, where it is one of a disk."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL | _BROKEN:
            raise
        is_full = error.errno in _FULL
        raise Problem(
            code="disk-full" if is_full else "disk-error",
            title=f"Kubernetes cannot start, because {STATE_MOUNT} cannot be written: {error.strerror}.",
            remedy=f"{'Use a larger disk' if is_full else 'See `dmesg` for errors of the disk'}. {_AGAIN}",
        ) from error
