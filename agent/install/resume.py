"""node0's install continues after a power cut.

Once its disk is written, the cluster's state and node0's database are on it, and other hosts may have joined. The disk
does not boot yet, so the same ISO boots and continues with the state on it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging

from agent.install.control_plane import is_written
from agent.install.layout import Layout, Part
from agent.inventory.host_id import read_host_id
from agent.machine import Machine, ProcessFailed
from agent.model.host_paths import INTENT_FILE, NODE0_DATABASE, RELEASE_FILE, STATE_MOUNT
from agent.model.intent import ClusterIntent

log = logging.getLogger(__name__)

# On the state file system, from the first use of it until the disk is bootable or the install has failed.
RESUME_FILE = f"{STATE_MOUNT}/var/lib/cluster0/resume"


def allow(machine: Machine) -> None:
    """From now on the same ISO continues with this state file system."""
    machine.files.write(RESUME_FILE, _ingredients(machine))


def forbid(machine: Machine) -> None:
    """The next boot of the ISO starts over."""
    machine.files.at(RESUME_FILE).unlink(missing_ok=True)


async def resume(machine: Machine, intent: ClusterIntent) -> None:
    """Mount this host's state file system and bind what is on it, if an install with this very ISO was under way there.

    Call it before node0's service starts, which looks for its database there. The install starts over where that has
    not moved there yet, because nothing else remembers the install, and where the file system cannot be mounted.
    """
    if is_written(machine):
        return
    host_id = await asyncio.to_thread(read_host_id, machine)
    uuid = Layout(disk="", cluster_id=intent.cluster_id, host_id=host_id).guid(Part.STATE)
    device = machine.files.at(f"/dev/disk/by-uuid/{uuid}")
    if not device.exists():
        return
    where = machine.files.at(STATE_MOUNT)
    where.mkdir(parents=True, exist_ok=True)
    try:
        await machine.processes.run(["mount", "-t", "ext4", "-o", "rw,noatime", str(device), str(where)])
    except ProcessFailed as failure:
        log.warning("the state file system of an interrupted install is damaged: %s", failure)
        return
    is_ours = machine.files.read(RESUME_FILE, "") == _ingredients(machine)
    if not is_ours or not machine.files.at(STATE_MOUNT + NODE0_DATABASE).exists():
        await machine.processes.run(["umount", str(where)])
        return
    log.warning("the install of this host was interrupted after its disk was written: it continues from there")
    await machine.processes.run(["systemctl", "start", "cluster0-state.target"], timeout=120)


def _ingredients(machine: Machine) -> str:
    """Changes with the inputs and with the base ISO: what is on the disk was made from both."""
    parts = (machine.files.read(path, "") for path in (INTENT_FILE, RELEASE_FILE))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
