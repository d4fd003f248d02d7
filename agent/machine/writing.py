"""Problems of a command that cannot write its results, worded in one place."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.model.problems import Problem

_FULL = {errno.ENOSPC, errno.EDQUOT}

_REMEDIES = {
    errno.EISDIR: "Move the directory away that has its name, or name another place.",
    errno.EEXIST: "Move away what has its name, or name another place.",
    errno.ENOTDIR: "Name a place whose parents are directories.",
}
_REMEDY = "Name a directory that exists and that you may write to."


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """For the length of the body, which writes `output` or below it. Problem: `no-space`, `output-not-writable`."""
    try:
        yield
    except OSError as error:
        raise not_written(output, error) from error


def not_written(output: Path, error: OSError, *, detail: str = "") -> Problem:
    """`detail`: what became of the rest."""
    if error.errno in _FULL:
        return Problem(
            code="no-space",
            title=f"{output} cannot be written: {error.strerror}.",
            detail=detail,
            remedy="Free some space there, or name another directory.",
        )
    return Problem(
        code="output-not-writable",
        title=f"{output} cannot be written: {error.strerror}.",
        detail=detail,
        remedy=_REMEDIES.get(error.errno or 0, _REMEDY),
    )
