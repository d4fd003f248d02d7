"""Turns the OSError of a command that cannot write its results into a Problem with a remedy."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.model.problems import Problem

_FULL = {errno.ENOSPC, errno.EDQUOT}

_REMEDIES = {
    errno.EISDIR: "Move the directory away that has this name, or name another path.",
    errno.EEXIST: "Move the file away that has this name, or name another path.",
    errno.ENOTDIR: "Name a path whose parents are directories.",
}
_REMEDY = "Name a directory that exists and that you may write to."


@contextmanager
def report_write_errors(output: Path) -> Iterator[None]:
    """Raise an OSError of the body as `write_problem`. `output`: the file or directory that the body writes."""
    try:
        yield
    except OSError as error:
        raise write_problem(output, error) from error


def write_problem(output: Path, error: OSError, *, detail: str = "") -> Problem:
    """The problem for a failed write of `output`: `no-space` (also over quota) or `output-not-writable`.

    `detail`: a sentence about the other results, for example that they were removed; empty: none.
    """
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
