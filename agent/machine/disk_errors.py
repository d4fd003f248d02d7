"""A disk of this host that is full, or that fails, is a named problem, and no bug."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from agent.model.problems import Problem

CODES = frozenset({"disk-full", "disk-error"})
_FULL = {errno.ENOSPC, errno.EDQUOT}
_BROKEN = {errno.EIO, errno.EROFS}


@contextmanager
def named_disk_errors(what: str, *, then: str = "") -> Iterator[None]:
    """Raise the body's OSError as `disk_problem`, where a file system says that its disk is full or broken."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL | _BROKEN:
            raise
        raise disk_problem(error, what, then=then) from error


def disk_problem(error: OSError, what: str, *, then: str = "") -> Problem:
    """`disk-full` (also over quota) or `disk-error`.

    `what`: a clause that says what failed, without a full stop. `then`: a sentence about what follows the remedy.
    """
    is_full = error.errno in _FULL
    remedy = (
        "Use a larger disk, or choose another one with rootDeviceHints."
        if is_full
        else "See `dmesg` for errors of the disk. Replace it, or choose another one with rootDeviceHints."
    )
    return Problem(
        code="disk-full" if is_full else "disk-error",
        title=f"{what}: {error.strerror}.",
        remedy=f"{remedy} {then}".rstrip(),
    )
