"""A large output file that is complete or absent: it is written under a temporary name next to its final one."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agent.model.problems import Problem
from agent.model.write_errors import report_write_errors


def check_place(output: Path, size: int) -> None:
    """Checks for space before the copy starts. Another process may still fill the disk.

    Problem: `no-space`, `output-not-writable`.
    """
    with report_write_errors(output):
        free = os.statvfs(output.parent)
        if output.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if free.f_bavail * free.f_frsize < size:
        raise _no_space(output, size, free.f_bavail * free.f_frsize)


@dataclass(frozen=True)
class Unfinished:
    """`target`: the file to write; `output`: its final name."""

    target: BinaryIO
    partial: Path
    output: Path

    def finish(self) -> None:
        self.target.close()
        self.partial.replace(self.output)


@contextmanager
def unfinished(output: Path, size: int, *, mode: int = 0o600) -> Iterator[Unfinished]:
    """A file next to `output`; `finish` moves it there, otherwise it is removed. `size`: its final size in bytes.

    Problem: `no-space`, `output-not-writable`.
    """
    check_place(output, size)
    with report_write_errors(output):
        descriptor, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.", suffix=".partial")
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as target:
            os.fchmod(descriptor, mode)
            yield Unfinished(target, partial, output)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_file(output: Path, size: int, *, mode: int = 0o600) -> Iterator[BinaryIO]:
    """A file that becomes `output` when the body succeeds, and is removed otherwise.

    Problem: `no-space`, `output-not-writable`, also for OSErrors of the body.
    """
    with unfinished(output, size, mode=mode) as file, report_write_errors(output):
        yield file.target
        file.finish()


def _no_space(output: Path, size: int, free: int) -> Problem:
    return Problem(
        code="no-space",
        title=f"{output.parent} has no room for {output.name}: {size >> 20} MiB needed, {free >> 20} MiB free.",
        remedy="Free some space there, or name another directory.",
    )
