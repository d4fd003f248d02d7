"""What somebody wants a lab to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from vm_harness.lab.cluster.topologies import TOPOLOGIES, Topology
from vm_harness.lab.directories import Directories
from vm_harness.machine.accel import AccelMode
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium


@dataclass(frozen=True, kw_only=True)
class LabRequest:
    """`iso`: boot this one; None makes it from the inputs with `cluster0 create image` (from `base_iso`, when given).

    The sizes are each machine's. A disk takes only the space that the guest has written. `kernel_seconds`: how long a
    machine's kernel may take from power on to its first line on the console; emulated ones have as long each.
    """

    directories: Directories
    topology: Topology = TOPOLOGIES["sno"]
    firmware: Firmware = Firmware.BIOS
    medium: Medium = Medium.CDROM
    accel_mode: AccelMode = field(default_factory=AccelMode.of_environment)
    iso: Path | None = None
    base_iso: Path | None = None
    memory_mib: int = 4096
    vcpus: int = 2
    disk_bytes: int = 40 << 30
    kernel_seconds: float = 60.0
