"""Processes that outlive the command which started them, identified by id and start time: ids are used again."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

GRACE_SECONDS = 5.0
"""How long a process may clean up after SIGTERM before it is killed."""


class ProcessId(msgspec.Struct, frozen=True):
    """A process of this boot. `started`: in clock ticks since the boot, field 22 of /proc/PID/stat, see proc(5)."""

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int) -> ProcessId:
        """Raises ProcessLookupError when there is no such process, or only a zombie."""
        started = _start_time(pid)
        if started is None:
            raise ProcessLookupError(f"no process {pid}")
        return cls(pid, started)

    def is_alive(self) -> bool:
        return _start_time(self.pid) == self.started

    @contextmanager
    def handle(self) -> Iterator[int]:
        """A pidfd, readable when the process ends. Raises ProcessLookupError when it has ended already."""
        fd = os.pidfd_open(self.pid)
        try:
            # Checked after opening: from here on the handle stays with this process.
            if not self.is_alive():
                raise ProcessLookupError(f"process {self.pid} has ended")
            yield fd
        finally:
            os.close(fd)

    def end(self, grace: float = GRACE_SECONDS) -> None:
        """SIGTERM, then SIGKILL after `grace` seconds. Returns when it has ended; it may have ended before."""
        with contextlib.suppress(ProcessLookupError), self.handle() as fd:
            signal.pidfd_send_signal(fd, signal.SIGTERM)
            if not _ends_within(fd, grace):
                signal.pidfd_send_signal(fd, signal.SIGKILL)
                _ends_within(fd, GRACE_SECONDS)
        self._reap()

    def kill(self) -> None:
        """SIGKILL. Returns when it has ended."""
        with contextlib.suppress(ProcessLookupError), self.handle() as fd:
            signal.pidfd_send_signal(fd, signal.SIGKILL)
            _ends_within(fd, GRACE_SECONDS)
        self._reap()

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, os.WNOHANG)


def spawn(argv: Sequence[str], *, log: Path, environment: Mapping[str, str]) -> ProcessId:
    """Start a daemon in a session of its own, where no Ctrl-C reaches it. Both outputs replace the content of `log`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    pid = os.posix_spawnp(
        argv[0], list(argv), {**os.environ, **environment}, setsid=True,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.fspath(log), flags, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
    )  # fmt: skip
    return ProcessId.of(pid)


def _ends_within(pidfd: int, seconds: float) -> bool:
    return bool(select.select([pidfd], [], [], seconds)[0])


def _start_time(pid: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command name (field 2) is in parentheses and may hold anything; field 3, the state, follows the last one.
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else int(fields[18])
