"""Finds mounts that a test leaves in the mount namespace of pytest."""

from __future__ import annotations

import re
import select
import subprocess
from pathlib import Path
from typing import NamedTuple

# pytest's base directory of one run. Two runs may share a machine.
_BASE_DIRECTORY = re.compile(r"/pytest-of-[^/]+/pytest-\d+/")


class Mount(NamedTuple):
    """A line of /proc/self/mountinfo, see proc_pid_mountinfo(5). The kernel reuses an `id` after the unmount."""

    id: str
    mount_point: str
    fs_type: str
    source: str


class Mounts:
    """`base`: the base directory of this run. Only mounts below it are removed."""

    name = "mount"
    may_still_end = True

    def __init__(self, base: Path) -> None:
        self._base = base
        self._table = Path("/proc/self/mountinfo").open()  # noqa: SIM115 - open until `close`
        self._changes = select.poll()
        self._changes.register(self._table, select.POLLPRI | select.POLLERR)
        self._last = self._read()

    def close(self) -> None:
        self._table.close()

    def present(self) -> frozenset[Mount]:
        """Reads the table only if poll(2) reports that a mount was added or removed since the last call."""
        if self._changes.poll(0):
            self._last = self._read()
        return self._last

    def describe(self, key: Mount) -> str:
        return f"{key.fs_type} {key.source} at {key.mount_point}"

    def remove(self, key: Mount) -> None:
        if Path(key.mount_point).is_relative_to(self._base):
            subprocess.run(["umount", "--lazy", key.mount_point], check=False, capture_output=True)
            self._last = self._read()

    def _read(self) -> frozenset[Mount]:
        self._table.seek(0)
        return frozenset(mount for mount in map(_mount, self._table) if not self._is_of_another_run(mount.mount_point))

    def _is_of_another_run(self, mount_point: str) -> bool:
        """Also true for the mounts of named network namespaces, which `NetworkNamespaces` checks."""
        elsewhere = _BASE_DIRECTORY.search(mount_point) and not Path(mount_point).is_relative_to(self._base)
        return bool(elsewhere) or mount_point.startswith("/run/netns")


def _mount(line: str) -> Mount:
    words = line.split()
    fs_type, source = words[words.index("-") + 1 :][:2]
    return Mount(words[0], words[4].encode().decode("unicode_escape"), fs_type, source)
