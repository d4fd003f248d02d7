"""Finds processes that a test leaves: descendants of pytest, and orphans that its subreaper has adopted."""

from __future__ import annotations

import contextlib
import os
import resource

import psutil


class Processes:
    """psutil compares processes by pid and start time, so a reused pid is another key."""

    name = "process"
    may_still_end = True

    def __init__(self) -> None:
        self._reaped = -1.0
        self._last: frozenset[psutil.Process] = frozenset()

    def present(self) -> frozenset[psutil.Process]:
        """Scans /proc, which takes milliseconds, only if a child exists or was reaped since the last scan."""
        reaped = _use_by_children()
        if self._last or reaped != self._reaped or _has_child():
            self._last, self._reaped = _below(os.getppid()), reaped
        return self._last

    def describe(self, key: psutil.Process) -> str:
        with key.oneshot():
            try:
                return f"{key.pid} {key.status()}: {key.cmdline() or key.name()}"
            except psutil.NoSuchProcess:
                return f"{key.pid}, which has ended meanwhile"

    def remove(self, key: psutil.Process) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            key.kill()
            key.wait(5)


def _below(pid: int) -> frozenset[psutil.Process]:
    """All descendants except this process and zombies."""
    found = set()
    for process in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found.add(process)
    return frozenset(found)


def _has_child() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _use_by_children() -> float:
    """Grows with each child that is reaped: even one that ends at once has had its page faults."""
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_minflt + use.ru_majflt
