"""Mounts that are undone however their user ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agent.machine import Machine

WORKSHOP = "/run/cluster0/install"  # where an install mounts things; nothing else uses it


@asynccontextmanager
async def mounted(
    machine: Machine, what: str, name: str, *, kind: str = "ext4", options: str = "rw,noatime"
) -> AsyncIterator[Path]:
    """The file system `what` at `name` in the workshop, synced and unmounted at the end. Yields where it is."""
    where = machine.files.at(f"{WORKSHOP}/{name}")
    where.mkdir(parents=True, exist_ok=True)
    await machine.processes.run(["mount", "-t", kind, "-o", options, what, str(where)])
    try:
        yield where
    finally:
        await machine.processes.run(["umount", str(where)], timeout=300)
        where.rmdir()


async def unmount_leftovers(machine: Machine) -> None:
    """Undo what an install that was killed left mounted, the topmost first."""
    workshop = str(machine.files.at(WORKSHOP))
    mounts = [line.split()[4] for line in machine.files.read("/proc/self/mountinfo", "").splitlines()]
    for where in reversed([path for path in mounts if path.startswith(f"{workshop}/")]):
        await machine.processes.run(["umount", where], timeout=300)


def is_mount_point(machine: Machine, path: str) -> bool:
    return machine.files.at(path).is_mount()
