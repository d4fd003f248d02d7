"""What `cluster0 lab up` is to bring up."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from vm_harness.lab.cluster.topologies import TOPOLOGIES, Topology
from vm_harness.lab.directories import Directories
from vm_harness.machine.accel import AccelMode
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium


class MachineKind(StrEnum):
    """`VM`: the real ISO on firmware, under QEMU. `CONTAINER`: its root image on this computer's kernel."""

    VM = "vm"
    CONTAINER = "container"


@dataclass(frozen=True, kw_only=True)
class LabRequest:
    """`iso`: None lets `cluster0 create image` make it from the inputs (and from `base_iso`, when given).

    `medium_first`: the firmware tries the medium before the disk.
    `memory_mib`, `vcpus`, `disk_bytes`: of each machine; a disk takes only the space that the guest has written.
    `left_off`: hosts that stay switched off.
    `kernel_seconds`: from power on to the first line of the kernel, at most; `plan.kernel_seconds` extends it for
    emulated machines.
    """

    directories: Directories
    topology: Topology = TOPOLOGIES["sno"]
    machines: MachineKind = MachineKind.VM
    firmware: Firmware = Firmware.BIOS
    medium: Medium = Medium.CDROM
    medium_first: bool = False
    accel_mode: AccelMode = field(default_factory=AccelMode.of_environment)
    iso: Path | None = None
    base_iso: Path | None = None
    memory_mib: int = 4096
    vcpus: int = 2
    left_off: frozenset[str] = frozenset()
    disk_bytes: int = 40 << 30
    kernel_seconds: float = 60.0

    @property
    def made_up_topology(self) -> Topology:
        """`topology`; for containers without VLANs, because the computer's kernel may have none."""
        if self.machines is MachineKind.VM:
            return self.topology
        return replace(self.topology, on_vlan={}, is_native=True)
