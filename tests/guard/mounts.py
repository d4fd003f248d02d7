"""Mounts in the namespace of the tests."""

from __future__ import annotations

import re
import select
import subprocess
from pathlib import Path
from typing import NamedTuple

# Where a run of pytest keeps the directories of its tests. Two runs may share a machine.
_DIRECTORY_OF_A_RUN = re.compile(r"/pytest-of-[^/]+/pytest-\d+/")


class Mount(NamedTuple):
    """A line of /proc/self/mountinfo, see proc_pid_mountinfo(5). `id` is used again when the mount is gone."""

    id: str
    where: str
    kind: str
    source: str


class Mounts:
    """`own`: the directory of this run's tests. Only what is below it is unmounted."""

    name = "mount"
    ends = True

    def __init__(self, own: Path) -> None:
        self._own = own
        self._table = Path("/proc/self/mountinfo").open()  # noqa: SIM115 - as long as the tests
        self._changes = select.poll()
        self._changes.register(self._table, select.POLLPRI | select.POLLERR)
        self._last = self._read()

    def close(self) -> None:
        self._table.close()

    def present(self) -> frozenset[Mount]:
        """The kernel says at the open file whether anything was mounted or unmounted since the last question."""
        if self._changes.poll(0):
            self._last = self._read()
        return self._last

    def describe(self, key: Mount) -> str:
        return f"{key.kind} {key.source} at {key.where}"

    def remove(self, key: Mount) -> None:
        if Path(key.where).is_relative_to(self._own):
            subprocess.run(["umount", "--lazy", key.where], check=False, capture_output=True)
            self._last = self._read()

    def _read(self) -> frozenset[Mount]:
        self._table.seek(0)
        return frozenset(mount for mount in map(_mount, self._table) if not self._is_of_another_run(mount.where))

    def _is_of_another_run(self, where: str) -> bool:
        """Names of network namespaces are mounts, too, and have a guard of their own."""
        elsewhere = _DIRECTORY_OF_A_RUN.search(where) and not Path(where).is_relative_to(self._own)
        return bool(elsewhere) or where.startswith("/run/netns")


def _mount(line: str) -> Mount:
    words = line.split()
    kind, source = words[words.index("-") + 1 :][:2]
    return Mount(words[0], words[4].encode().decode("unicode_escape"), kind, source)
