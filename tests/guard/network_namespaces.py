"""Finds named network namespaces that a test leaves, and namespaces that pytest's own process has entered.

A network namespace without a name ends with its processes, which `Processes` checks.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from vm_harness.lab.directories import RUNTIME

_NAMED = Path("/run/netns")  # see ip-netns(8)
_OURS = Path("/proc/self/ns")
_LAB = "lab-"  # and its ID: the name of a lab's namespace


class NetworkNamespaces:
    """Keys: the name of a network namespace; "net:[INODE]" and "mnt:[INODE]" for those that this process is in."""

    name = "namespace"
    may_still_end = True

    def __init__(self) -> None:
        self._of_others: set[tuple[str, int]] = set()

    def present(self) -> frozenset[str]:
        own = frozenset(os.readlink(_OURS / kind) for kind in ("net", "mnt"))  # noqa: PTH115 - the fast one
        with contextlib.suppress(FileNotFoundError):
            return own | {name for name in os.listdir(_NAMED) if not self._is_of_others(name)}  # noqa: PTH208
        return own

    def describe(self, key: str) -> str:
        return f"this process entered {key}" if ":" in key else f"network namespace {key}"

    def remove(self, key: str) -> None:
        """Left where it is: one without processes may be what another run on this machine has just made."""

    def _is_of_others(self, name: str) -> bool:
        """Whether it belongs to a lab or another run of tests: it has processes, but none descends from this run."""
        try:
            inode = (_NAMED / name).stat().st_ino
        except FileNotFoundError:
            return True
        if (name, inode) not in self._of_others:
            its_own = {*_processes_in(f"net:[{inode}]"), *_runners(name)}
            if its_own and not its_own & {process.pid for process in psutil.Process(os.getppid()).children(True)}:
                self._of_others.add((name, inode))
        return (name, inode) in self._of_others


def _runners(name: str) -> Iterator[int]:
    """The processes of a lab's containers: each container has a network of its own, beside the lab's namespace."""
    directory = os.fsencode(RUNTIME / name.removeprefix(_LAB)) + b"/"
    for pid in psutil.pids() if name.startswith(_LAB) else ():
        with contextlib.suppress(OSError):
            if directory in Path(f"/proc/{pid}/cmdline").read_bytes():
                yield pid


def _processes_in(namespace: str) -> Iterator[int]:
    for pid in psutil.pids():
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/ns/net") == namespace:  # noqa: PTH115
                yield pid
