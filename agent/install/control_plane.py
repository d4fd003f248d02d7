"""On node0: the bootstrap on the new disk's state, and a clean stop of everything it started before the reboot."""

from __future__ import annotations

import logging

from agent.etcd.client import EtcdUnreachable, connect
from agent.etcd.leadership import hand_over
from agent.install.layout import Layout, Part
from agent.install.mounts import is_mount_point
from agent.kubeadm.kinds import ETCD_PKI
from agent.machine import Machine, ProcessFailed
from agent.model.endpoints import ETCD_PORT, endpoint
from agent.model.host_documents import BootstrapResult
from agent.model.host_paths import BOOTSTRAP_FILE, STATE_MOUNT
from agent.model.problems import Problem

log = logging.getLogger(__name__)

BOOTSTRAP_UNIT = "cluster0-bootstrap.service"
# Each step of the unit has a deadline, the last one in node0's service: a day's wait for the other hosts
# (HOST_STAGE_WAITING_FOR_CONTROLLER_TIMEOUT). This one ends a unit that misses them.
BOOTSTRAP_SECONDS = 26 * 60 * 60
PODS = "kubepods.slice"
# The API server waits up to a minute for its clients' watches to end. etcd, which has data to close, takes a second.
PODS_SECONDS = 20.0


def is_written(machine: Machine) -> bool:
    """The disk was written and configured in this boot: its state is mounted, and perhaps in use already."""
    return is_mount_point(machine, STATE_MOUNT)


async def mount_state(machine: Machine, layout: Layout) -> None:
    """Mount the state file system where an installed system has it. It stays mounted until the reboot."""
    where = machine.files.at(STATE_MOUNT)
    where.mkdir(parents=True, exist_ok=True)
    await machine.processes.run(["mount", "-t", "ext4", "-o", "rw,noatime", layout.device(Part.STATE), str(where)])


async def bootstrap(machine: Machine) -> None:
    """Run the bootstrap unit to its end. Raises the Problem it left, or `bootstrap-failed` when it left none."""
    machine.files.at(BOOTSTRAP_FILE).unlink(missing_ok=True)
    try:
        await machine.processes.run(["systemctl", "start", BOOTSTRAP_UNIT], timeout=BOOTSTRAP_SECONDS)
    except ProcessFailed as failure:
        result = machine.files.load(BOOTSTRAP_FILE, BootstrapResult)
        if result is not None and result.problem is not None:
            raise Problem.from_report(result.problem) from failure
        journal = await machine.processes.run(["journalctl", f"--unit={BOOTSTRAP_UNIT}", "--lines=20", "--output=cat"])
        raise Problem(
            code="bootstrap-failed",
            title=f"{BOOTSTRAP_UNIT} ended without a reason.",
            detail=journal.stdout,
            remedy="See the journal of this host; the install can be started again.",
        ) from failure


async def stop_control_plane(machine: Machine, address: str) -> None:
    """Stop what runs on the state file system, so that the disk's first boot finds everything closed in order.

    Before that, hand over to the other control planes what they would miss: etcd's leadership, and the API's virtual
    address. kubelet first, or it would start its pods again; containerd last, when it has seen all of its containers
    end. `address`: of this host, where its etcd listens.
    """
    try:
        async with connect(endpoint(address, ETCD_PORT), machine.files.at(ETCD_PKI)) as etcd:
            await hand_over(etcd)
    except EtcdUnreachable as problem:
        log.warning("%s", problem.title)
    await machine.processes.run(["systemctl", "stop", "keepalived.service"], timeout=120)
    await machine.processes.run(["systemctl", "stop", "kubelet.service"], timeout=120)
    try:
        await machine.processes.run(["systemctl", "stop", PODS], timeout=PODS_SECONDS)
    except ProcessFailed:
        # A slice whose last process has ended is gone by itself: then both find nothing to act on.
        await machine.processes.run(["systemctl", "kill", "--signal=KILL", PODS], check=False)
        await machine.processes.run(["systemctl", "stop", PODS], timeout=120, check=False)
    await machine.processes.run(["systemctl", "stop", "containerd.service"], timeout=120)
    await machine.processes.run(["sync"], timeout=300)
