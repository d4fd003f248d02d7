"""The status of a lab that is up, as `lab status` shows it."""

from __future__ import annotations

import os

import msgspec

from vm_harness.guest.node import Node
from vm_harness.lab.lab import Lab
from vm_harness.machine.lifecycle import State


class MachineStatus(msgspec.Struct, frozen=True):
    name: str
    power: str
    address: str
    firmware: str
    console: str


class LabStatus(msgspec.Struct, frozen=True):
    """`namespace`: for `ip netns exec`; `libvirt`: for `virsh -c`."""

    directory: str
    acceleration: str
    namespace: str
    libvirt: str
    machines: tuple[MachineStatus, ...]


def of(lab: Lab) -> LabStatus:
    machines = tuple(
        MachineStatus(
            machine.domain.name, _power(node), machine.address, machine.domain.firmware,
            os.fspath(machine.domain.serial_log),
        )
        for machine, node in zip(lab.state.machines, lab.nodes, strict=True)
    )  # fmt: skip
    directory = os.fspath(lab.directories.inputs)
    return LabStatus(directory, lab.acceleration, lab.namespace.name, lab.hypervisor.uri, machines)


def _power(node: Node) -> str:
    state = node.power.state()
    return "paused" if state.state == State.PAUSED else "on" if state.is_on else "off"


def text(status: LabStatus) -> str:
    """For people: the lab, then one line a machine."""
    lines = [
        f"directory     {status.directory}",
        f"acceleration  {status.acceleration}",
        f"namespace     {status.namespace}",
        f"libvirt       {status.libvirt}",
    ]
    lines += [
        f"{each.name:<12}  {each.power:<6}  {each.address:<15}  {each.firmware}  {each.console}"
        for each in status.machines
    ]
    return "\n".join(lines)
