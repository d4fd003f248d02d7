"""The install of this host in order: plan, wipe, write, configure, bootstrap on node0, make bootable, reboot.

It can run again after any failure and any power cut. The disk becomes bootable last. Until then the machine boots from
the ISO, and the install recognises its own data on the disk.
"""

from __future__ import annotations

import asyncio
import logging

from agent import vip
from agent.api.steps import InstallRequest
from agent.install import resume
from agent.install.boot import make_bios_skip_disk, make_bootable
from agent.install.control_plane import (
    BOOTSTRAP_UNIT,
    bootstrap,
    is_written,
    mount_state,
    stop_control_plane,
)
from agent.install.host_config import host_config, user_overrides
from agent.install.ignite import apply, check
from agent.install.installed_disk import require_not_installed
from agent.install.layout import OVERLAY_UPPER, OVERLAY_WORK, Layout, Part
from agent.install.medium import read_medium
from agent.install.mounts import mounted, unmount_leftovers
from agent.install.plan import carry_out, plan
from agent.install.probe import disk_content
from agent.install.state import fill_state
from agent.install.target_disk import find_disk, require_eligible, table
from agent.install.write import Report, write_image
from agent.inventory.collect import collect
from agent.machine import Machine
from agent.machine.deadline import deadline
from agent.model.host_documents import HostMatch, Installed
from agent.model.host_paths import HOST_FILE, IMAGE_MOUNT, STATE_MOUNT
from agent.model.intent import ClusterIntent, HostIntent
from agent.model.problems import Problem
from agent.model.states import InstallRole, Stage

log = logging.getLogger(__name__)


async def install(*, machine: Machine, intent: ClusterIntent, request: InstallRequest, report: Report) -> None:
    """Install this host as `request` says; ends with the machine going down for its reboot.

    `report` is called with every stage and, within a stage, with its progress. Raises Problem.
    """
    await report(Stage.STARTING_INSTALLATION, "")
    await unmount_leftovers(machine)
    layout = await _choose(machine, intent, request)
    if not is_written(machine):
        await require_not_installed(machine, layout)
    if request.role is not InstallRole.WORKER:
        await vip.configure(machine, intent)
    if not is_written(machine):
        await _write(machine, layout, intent, request, report)
        await mount_state(machine, layout)
    if request.role is InstallRole.BOOTSTRAP:
        await report(Stage.WAITING_FOR_CONTROL_PLANE, "")
        await _bootstrap(machine, intent)
    async with deadline(600, f"Making {layout.disk} bootable"):
        host = this_host(machine, intent)
        await make_bootable(machine, layout, host.kernel_arguments if host else ())
        resume.forbid(machine)
    await report(Stage.REBOOTING, "")
    await machine.processes.run(["systemctl", "reboot"])


async def release_disk(machine: Machine) -> None:
    """Undo a stopped install: nothing of it runs any more, and its file systems are unmounted."""
    await unmount_leftovers(machine)
    if is_written(machine):
        resume.forbid(machine)
        await machine.processes.run(["systemctl", "stop", BOOTSTRAP_UNIT], timeout=120)
        await machine.processes.run(["umount", str(machine.files.at(STATE_MOUNT))], check=False)


async def _bootstrap(machine: Machine, intent: ClusterIntent) -> None:
    resume.allow(machine)
    try:
        await bootstrap(machine)
    except Problem:
        resume.forbid(machine)
        raise
    await stop_control_plane(machine, intent.rendezvous_ip)


async def _choose(machine: Machine, intent: ClusterIntent, request: InstallRequest) -> Layout:
    """Look up the disk that node0 has chosen; its inventory may be of an earlier boot.

    Once this boot has written the disk, the install itself has it mounted, so it is not eligible any more.
    """
    disks = (await asyncio.to_thread(collect, machine)).disks
    disk = find_disk(disks, request.boot_device)
    if not is_written(machine):
        require_eligible(disk, disks)
    log.info("Installing to %s (%s):\n%s", disk.path, request.boot_device, table(disks))
    return Layout(disk=disk.path, cluster_id=intent.cluster_id, host_id=request.host_id)


def this_host(machine: Machine, intent: ClusterIntent) -> HostIntent | None:
    """This host in the inputs; None when they do not list it."""
    match = machine.files.load(HOST_FILE, HostMatch)
    return intent.hosts[match.index] if match is not None and match.index >= 0 else None


async def _write(
    machine: Machine, layout: Layout, intent: ClusterIntent, request: InstallRequest, report: Report
) -> None:
    """Partition the disk and write everything to it, except what makes it bootable."""
    host = this_host(machine, intent)
    installed = Installed(
        cluster_id=intent.cluster_id,
        infra_env_id=intent.infra_env_id,
        host_id=request.host_id,
        role=request.role,
        boot_device=layout.disk,
    )
    medium = read_medium(machine)
    config = host_config(machine.files, intent, installed, user_overrides(machine.files, host))
    await check(machine, config)
    actions = plan(await disk_content(machine, layout.disk), layout, consent=host is not None and host.consent_to_wipe)

    await report(Stage.INSTALLING, "")
    async with deadline(600, f"Partitioning {layout.disk}"):
        await carry_out(machine, actions)
        await asyncio.to_thread(make_bios_skip_disk, machine, layout.disk)
    async with (
        deadline(3600, f"Writing the image to {layout.disk}", remedy="The disk or the medium is too slow: check both."),
        mounted(machine, layout.device(Part.BOOT), "boot") as boot,
    ):
        await write_image(machine, medium, boot, report)
    async with (
        deadline(900, f"Preparing the state of {layout.disk}"),
        mounted(machine, layout.device(Part.STATE), "state") as state,
    ):
        await report(Stage.COPYING_REGISTRY_DATA, "")
        image = machine.files.at(IMAGE_MOUNT)
        await asyncio.to_thread(fill_state, image, state)
        overlay = f"lowerdir={image},upperdir={state / OVERLAY_UPPER},workdir={state / OVERLAY_WORK}"
        async with mounted(machine, "overlay", "root", kind="overlay", options=overlay) as root:
            await apply(machine, config, root)
