"""The status of a lab that is up, as `lab status` shows it."""

from __future__ import annotations

import os

import msgspec

from vm_harness.container.machine import ContainerMachine
from vm_harness.guest.node import Node
from vm_harness.lab.lab import Lab
from vm_harness.machine.lifecycle import State
from vm_harness.machine.machines import LabMachine


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
            machine.name, _power(node), machine.address, _firmware(machine), os.fspath(machine.serial_log),
        )
        for machine, node in zip(lab.state.machines, lab.nodes, strict=True)
    )  # fmt: skip
    directory = os.fspath(lab.directories.inputs)
    return LabStatus(directory, lab.acceleration, lab.namespace.name, lab.machines.uri, machines)


def _firmware(machine: LabMachine | ContainerMachine) -> str:
    return machine.domain.firmware if isinstance(machine, LabMachine) else "container"


def _power(node: Node) -> str:
    state = node.machine.state()
    return "paused" if state.state == State.PAUSED else "on" if state.is_on else "off"


def text(status: LabStatus) -> str:
    """For people: the lab, then one line a machine."""
    lines = [
        f"directory     {status.directory}",
        f"acceleration  {status.acceleration}",
        f"namespace     {status.namespace}",
        *([f"libvirt       {status.libvirt}"] if status.libvirt else []),
    ]
    lines += [
        f"{each.name:<12}  {each.power:<6}  {each.address:<15}  {each.firmware}  {each.console}"
        for each in status.machines
    ]
    return "\n".join(lines)
