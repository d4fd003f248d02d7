"""The machines of a lab that is up, of either kind, and the connection by which their power is followed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from vm_harness.container.changes import PowerChanges as ContainerChanges
from vm_harness.container.machine import ContainerMachine
from vm_harness.container.power import ContainerPower
from vm_harness.guest.machine import Machine
from vm_harness.guest.watch import PowerChanges
from vm_harness.lab.directories import Directories
from vm_harness.machine import libvirtd
from vm_harness.machine.domain import render
from vm_harness.machine.hypervisor import Hypervisor
from vm_harness.machine.machines import LabMachine
from vm_harness.machine.power import Power


class Machines(Protocol):
    """`powers`: in the order of the lab's machines. `uri`: of libvirtd; empty without one."""

    powers: Sequence[Machine]
    changes: PowerChanges
    uri: str

    def define(self, machine: LabMachine | ContainerMachine) -> None:
        """Make the machine known to what runs it."""

    def close(self) -> None: ...


class VirtualMachines:
    """Raises `Problem` as `Hypervisor` does."""

    def __init__(self, directories: Directories, machines: Sequence[LabMachine]) -> None:
        self.hypervisor = Hypervisor(directories.runtime)
        self.changes: PowerChanges = self.hypervisor.events
        self.uri = self.hypervisor.uri
        self.powers: Sequence[Machine] = [
            Power(machine, self.hypervisor, libvirtd.qemu_log(directories.logs, machine.name)) for machine in machines
        ]

    def define(self, machine: LabMachine | ContainerMachine) -> None:
        assert isinstance(machine, LabMachine)
        self.hypervisor.define(render(machine.domain))

    def close(self) -> None:
        self.hypervisor.close()


class Containers:
    uri = ""

    def __init__(self, machines: Sequence[ContainerMachine]) -> None:
        powers = [ContainerPower(machine) for machine in machines]
        self.powers: Sequence[Machine] = powers
        self._changes = ContainerChanges([power.group for power in powers])
        self.changes: PowerChanges = self._changes

    def define(self, machine: LabMachine | ContainerMachine) -> None:
        """Nothing: its runner reads what it is when it is switched on."""

    def close(self) -> None:
        self._changes.close()


def connect(directories: Directories, machines: Sequence[LabMachine | ContainerMachine]) -> Machines:
    virtual = [machine for machine in machines if isinstance(machine, LabMachine)]
    containers = [machine for machine in machines if isinstance(machine, ContainerMachine)]
    return Containers(containers) if containers else VirtualMachines(directories, virtual)


def disks(machine: LabMachine | ContainerMachine) -> list[Path]:
    """The files below the machine's disks."""
    if isinstance(machine, ContainerMachine):
        return [machine.disk_image]
    return [disk.image for disk in machine.domain.disks]
