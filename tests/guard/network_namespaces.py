"""Finds named network namespaces that a test leaves, and namespaces that pytest's own process has entered.

A network namespace without a name ends with its processes, which `Processes` checks.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path

_NAMED = Path("/run/netns")  # see ip-netns(8)
_OURS = Path("/proc/self/ns")
_CLONE_NEWNS = 0x20000  # <linux/sched.h>
_MS_REC, _MS_SLAVE = 0x4000, 0x80000  # <linux/mount.h>


def hide_those_of_others() -> None:
    """Give this process, and what it starts, names of network namespaces of its own.

    Labs and other runs of tests on this computer have theirs, and `ip netns` mounts them in a directory. Without root
    the names stay shared: such a process makes no namespaces.
    """
    if os.geteuid() != 0:
        return
    _NAMED.mkdir(parents=True, exist_ok=True)
    libc = ctypes.CDLL(None, use_errno=True)
    # `or`: each only once the one before has succeeded, with 0. In the namespace of others, nothing is mounted.
    if (
        libc.unshare(_CLONE_NEWNS)
        or libc.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None)
        or libc.mount(b"tmpfs", os.fsencode(_NAMED), b"tmpfs", 0, b"mode=0755")
    ):
        raise OSError(ctypes.get_errno(), "this run cannot have network namespaces of its own")


class NetworkNamespaces:
    """Keys: the name of a network namespace; "net:[INODE]" and "mnt:[INODE]" for those that this process is in."""

    name = "namespace"
    may_still_end = True

    def present(self) -> frozenset[str]:
        own = frozenset(os.readlink(_OURS / kind) for kind in ("net", "mnt"))  # noqa: PTH115 - the fast one
        with contextlib.suppress(FileNotFoundError):
            return own | frozenset(os.listdir(_NAMED))  # noqa: PTH208
        return own

    def describe(self, key: str) -> str:
        return f"this process entered {key}" if ":" in key else f"network namespace {key}"

    def remove(self, key: str) -> None:
        """Left where it is: what it is of may still use it."""
