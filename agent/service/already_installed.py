"""A live system on a host that is installed: the agent starts the installed system instead of registering."""

from __future__ import annotations

import asyncio
import logging

from agent.install.control_plane import is_written
from agent.install.installed_disk import InstalledDisk, installed_disks, requested_word
from agent.inventory.host_id import read_host_id
from agent.machine import Machine
from agent.model.host_documents import AgentPhase
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.status import StatusBoard

log = logging.getLogger(__name__)


async def leaves_live_system(machine: Machine, intent: ClusterIntent, board: StatusBoard) -> bool:
    """Whether this host is installed. It then goes down to start its disk, or the status says what the user has to do.

    An install of this boot, and one that the kernel command line requests, go on.
    """
    disk = None if is_written(machine) else await _kept_disk(machine, intent)
    if disk is None:
        return False
    board.update(phase=AgentPhase.ALREADY_INSTALLED, detail=f"continuing from its disk {disk.path}")
    from agent.install.start_installed import start_installed

    try:
        await start_installed(machine, disk)
    except Problem as problem:
        log.error("%s", problem)
        board.update(detail="its disk has to be first in the boot order", problems=(problem.report(),))
    return True


async def _kept_disk(machine: Machine, intent: ClusterIntent) -> InstalledDisk | None:
    """The disk with this host's own installed system, unless it is to be installed again."""
    word = requested_word(machine.files)
    host_id = await asyncio.to_thread(read_host_id, machine)
    try:
        disks = await installed_disks(machine, intent.cluster_id, host_id)
    except Problem as problem:
        # The install looks again before it writes, and then does not start.
        log.warning("the disks cannot be searched for an installed system: %s", problem)
        return None
    own = [disk for disk in disks if disk.is_own]
    if own and not own[0].is_kept(word):
        log.warning("%s is installed, and the kernel command line requests to install it again", own[0].path)
    return next((disk for disk in own if disk.is_kept(word)), None)
