"""How long a synced write to a disk takes: etcd waits for one with every change. Source: etcd's hardware guide, and
assisted-installer-agent's fio job, whose block size this has.

Each write puts back what was read from the same place, so the disk stays the same, also after a power cut.
"""

from __future__ import annotations

import contextlib
import math
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from agent.machine.disk_errors import disk_problem
from agent.model.problems import Problem

BLOCK = 2300
FIRST_BYTE = 1 << 20
MOST_WRITES = 1000
SECONDS = 5.0


def measure(disk: Path, stop: threading.Event, clock: Callable[[], float] = time.monotonic) -> int:
    """Milliseconds that 99 of 100 synced writes need at most, rounded up. Ends early when `stop` is set.

    Blocks for up to five seconds. Raises Problem: `disk-busy`, `disk-not-writable`; `disk-error` or `disk-full`
    when the disk fails meanwhile.
    """
    try:
        handle = os.open(disk, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        raise Problem(
            code="disk-busy" if isinstance(error, BlockingIOError) or error.errno == 16 else "disk-not-writable",
            title=f"{disk} cannot be measured: {error.strerror}.",
            remedy="Find what uses it: lsblk on this host.",
        ) from error
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, handle)
        try:
            return percentile(_durations(handle, stop, clock))
        except OSError as error:
            raise disk_problem(error, f"{disk} failed while it was measured") from error


def _durations(handle: int, stop: threading.Event, clock: Callable[[], float]) -> list[float]:
    durations: list[float] = []
    deadline = clock() + SECONDS
    while not stop.is_set() and len(durations) < MOST_WRITES and clock() < deadline:
        offset = FIRST_BYTE + len(durations) * BLOCK
        block = os.pread(handle, BLOCK, offset)
        started = clock()
        os.pwrite(handle, block, offset)
        os.fdatasync(handle)
        durations.append(clock() - started)
    return durations


def percentile(durations: list[float]) -> int:
    """The 99th of 100, in whole milliseconds, rounded up."""
    if not durations:
        return 0
    ordered = sorted(durations)
    return math.ceil(1000 * ordered[math.ceil(0.99 * len(ordered)) - 1])
