"""The machines of a lab: what each is, and the files of its disks and media."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from vm_harness.machine import media
from vm_harness.machine.domain import Domain

EMULATOR = "qemu-system-x86_64"


class LabMachine(msgspec.Struct, frozen=True, tag="vm"):
    """One host as a virtual machine. `address`: for SSH; empty when the lab knows none.

    `kernel_seconds`: from power on to the kernel's first line on the console, at most; None: no line is expected.
    `guest`: digest of the kernel and initramfs on its medium; empty when not known.
    """

    domain: Domain
    address: str = ""
    kernel_seconds: float | None = None
    guest: str = ""

    @property
    def name(self) -> str:
        return self.domain.name

    @property
    def serial_log(self) -> Path:
        return self.domain.serial_log


def emulator() -> Path:
    """The path of QEMU, or its bare name where it is not installed."""
    return Path(shutil.which(EMULATOR) or EMULATOR)


def make_files(machines: Sequence[LabMachine], iso: Path, disk_bytes: int) -> None:
    """Create empty disks, USB sticks and empty serial logs. A serial log of the lab before is kept as `.previous`."""
    for machine in machines:
        domain = machine.domain
        for disk in domain.disks:
            media.create_disk(disk.image, disk_bytes)
        if domain.medium_kind is media.Medium.USB and domain.medium is not None:
            media.write_stick(iso, domain.medium)
        if domain.serial_log.exists():
            domain.serial_log.replace(domain.serial_log.with_suffix(".log.previous"))
        domain.serial_log.touch()
