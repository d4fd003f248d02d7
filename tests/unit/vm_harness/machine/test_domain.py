"""The libvirt XML of a machine, against golden files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from vm_harness.machine.accel import Acceleration
from vm_harness.machine.cpu import CpuModel
from vm_harness.machine.domain import Disk, Domain, medium_device, render
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium

Golden = Callable[[str, str], None]

EMULATED = Domain(
    name="node0",
    uuid=UUID("00000000-0000-4000-8000-000000000001"),
    memory_mib=4096,
    vcpus=2,
    acceleration=Acceleration.EMULATION,
    cpu=CpuModel(mode="custom", name="qemu64", added=("aes",), hidden=("cx16",)),
    firmware=Firmware.BIOS,
    nvram=Path("/lab/disks/node0-nvram.fd"),
    disks=(Disk(Path("/lab/disks/node0.img")),),
    medium=Path("/lab/agent.x86_64.iso"),
    medium_kind=Medium.CDROM,
    macs=("52:54:00:c0:00:01",),
    bridges=("lab0",),
    serial_log=Path("/lab/logs/node0-serial.log"),
    emulator=Path("/usr/bin/qemu-system-x86_64"),
)
MACHINES = {
    "bios-cdrom-emulated": EMULATED,
    "uefi-cdrom-kvm": msgspec.structs.replace(
        EMULATED, firmware=Firmware.UEFI, acceleration=Acceleration.KVM, cpu=CpuModel(mode="host-passthrough")
    ),
    "secure-boot-cdrom-first": msgspec.structs.replace(EMULATED, firmware=Firmware.SECURE_BOOT, medium_first=True),
    "bios-network": msgspec.structs.replace(
        EMULATED,
        medium=None,
        medium_kind=Medium.NETWORK,
        macs=("52:54:00:c0:00:01", "52:54:00:c0:00:02"),
        bridges=("lab0", "lab0"),
    ),
    "bios-usb-two-disks": msgspec.structs.replace(
        EMULATED,
        medium_kind=Medium.USB,
        disks=(Disk(Path("/lab/disks/a.img"), "sda"), Disk(Path("/lab/disks/b.img"), "sdb")),
        macs=("52:54:00:c0:00:01", "52:54:00:c0:00:02"),
        bridges=("lab0", "lab0"),
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_the_xml_of_a_machine_is_the_golden_one(name: str, golden: Golden) -> None:
    golden(f"libvirt/{name}.xml", render(MACHINES[name]))


def test_the_xml_of_an_ejected_cd_is_the_same_drive_without_a_source() -> None:
    full, empty = medium_device(EMULATED, EMULATED.medium), medium_device(EMULATED, None)
    assert full.replace('<source file="/lab/agent.x86_64.iso" />', "") == empty
