"""The machines of a lab of containers: making their disks and media, and removing them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.container import loops, media
from vm_harness.container.control_groups import ControlGroup, Hierarchies
from vm_harness.container.machine import ContainerMachine
from vm_harness.lab.cluster.hosts import LabHost
from vm_harness.lab.directories import Directories
from vm_harness.lab.request import LabRequest
from vm_harness.machine.media import create_disk
from vm_harness.network.namespace import Namespace


def make(
    request: LabRequest, hosts: Sequence[LabHost], iso: Path, namespace: Namespace
) -> tuple[ContainerMachine, ...]:
    """One machine for each host, with an empty disk and the medium in, switched off.

    Raises `Problem` (`command-failed`).
    """
    medium = media.make(iso, request.directories.disks / "medium.img")
    return tuple(_make(request, number, host, medium, namespace) for number, host in enumerate(hosts))


def _make(request: LabRequest, number: int, host: LabHost, medium: Path, namespace: Namespace) -> ContainerMachine:
    directories = request.directories
    image = create_disk(directories.disks / f"{host.name}.img", request.disk_bytes)
    serial_log = directories.logs / f"{host.name}-serial.log"
    if serial_log.exists():
        serial_log.replace(serial_log.with_suffix(".log.previous"))
    serial_log.touch()
    machine = ContainerMachine(
        name=host.name, number=number, lab=directories.id, namespace=namespace.name, macs=host.macs,
        bridges=host.bridges, memory_mib=request.memory_mib, disk=loops.attach_disk(image), disk_image=image,
        medium=loops.attach_medium(medium), medium_image=medium, serial_log=serial_log,
        runtime=directories.runtime / host.name, address=str(host.address.ip) if host.address else "",
        kernel_seconds=request.kernel_seconds,
    )  # fmt: skip
    ControlGroup(Hierarchies.of_this_computer(), machine.lab, machine.name).create()
    return machine


def remove(directories: Directories) -> None:
    """Power all containers off; give back their control groups and loop devices. Needs no state of the lab."""
    with contextlib.suppress(Problem):  # A computer without control groups has no containers.
        for group in ControlGroup.all_of(Hierarchies.of_this_computer(), directories.id):
            group.remove()
    for file in directories.disks.glob("*"):
        if file.is_file():
            loops.detach(file)
