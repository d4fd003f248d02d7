"""After an install that was stopped: nothing of it goes on, and its disk is free again where it can be."""

from __future__ import annotations

from agent.install import resume
from agent.install.control_plane import BOOTSTRAP_UNIT, is_written
from agent.install.mounts import unmount_leftovers
from agent.machine import Machine
from agent.model.host_paths import STATE_MOUNT


async def release_disk(machine: Machine) -> None:
    """Where the control plane runs on the disk's state already, it stays mounted: a next install goes on there."""
    await unmount_leftovers(machine)
    if is_written(machine):
        resume.forbid(machine)
        await machine.processes.run(["systemctl", "stop", BOOTSTRAP_UNIT], timeout=120)
        await machine.processes.run(["umount", str(machine.files.at(STATE_MOUNT))], check=False)
