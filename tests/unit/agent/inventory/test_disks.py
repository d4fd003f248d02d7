"""Disks read from udev and sysfs, and the reasons why one is not eligible for the install."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.inventory import disks
from agent.machine import BlockDevice
from agent.model.inventory import Disk
from tests.fakes.agent.machine import machine_in

GIB = 1024**3
VDA = BlockDevice("vda", {}, ("/dev/disk/by-path/pci-0000:00:04.0",), ("vda1",))
SDB = BlockDevice(
    "sdb",
    {"ID_WWN": "0x5000c500a1b2c3d4", "ID_MODEL": "ST1000", "ID_VENDOR": "SEAGATE", "ID_SCSI_SERIAL": "Z1D"},
    (
        "/dev/disk/by-id/ata-ST1000_Z1D",
        "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4",
        "/dev/disk/by-path/pci-0000:00:1f.2-ata-1",
    ),
    (),
)
MOUNTINFO = "29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"


def collect(tmp_path: Path, device: BlockDevice, *others: BlockDevice, mountinfo: str = "", **sysfs: str) -> Disk:
    """The inventory's disk of `device`; `sysfs` holds attributes of the disk, `__` for a slash."""
    machine = machine_in(tmp_path, disks=[device, *others])
    values = {"size": str(20 * GIB // 512), "removable": "0", "ro": "0", "dev": "254:0", "queue/rotational": "1"}
    for name, value in (values | {name.replace("__", "/"): value for name, value in sysfs.items()}).items():
        machine.files.write(f"/sys/block/{device.name}/{name}", f"{value}\n")
    for partition in device.partitions:
        machine.files.write(f"/sys/block/{device.name}/{partition}/dev", "254:1\n")
    machine.files.write("/proc/self/mountinfo", mountinfo)
    return next(disk for disk in disks.collect(machine) if disk.name == device.name)


def test_a_virtual_disk_is_known_by_its_path(tmp_path: Path) -> None:
    disk = collect(tmp_path, VDA, serial="ABC")
    assert (disk.id, disk.path) == ("/dev/disk/by-path/pci-0000:00:04.0", "/dev/vda")
    assert (disk.size_bytes, disk.serial, disk.drive_type) == (20 * GIB, "ABC", "HDD")
    assert disk.installation_eligibility.eligible


def test_a_real_disk_is_known_by_its_wwn(tmp_path: Path) -> None:
    disk = collect(tmp_path, SDB, queue__rotational="0")
    assert disk.id == disk.by_id == "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4"
    assert (disk.wwn, disk.vendor, disk.model, disk.serial) == ("0x5000c500a1b2c3d4", "SEAGATE", "ST1000", "Z1D")
    assert disk.drive_type == "SSD"


def test_a_by_path_name_that_two_disks_claim_identifies_neither(tmp_path: Path) -> None:
    other = BlockDevice("vdb", {}, VDA.links, ())
    disk = collect(tmp_path, VDA, other)
    assert (disk.by_path, disk.id) == ("", "/dev/vda")


def attached(path: str) -> BlockDevice:
    return BlockDevice("sdc", {}, (f"/dev/disk/by-path/{path}",), ())


def test_a_disk_of_a_storage_network_is_marked_as_such(tmp_path: Path) -> None:
    lun = collect(tmp_path, attached("pci-0000:81:00.0-fc-0x50060e8007275f00-lun-0"))
    assert (lun.drive_type, lun.installation_eligibility.eligible) == ("FC", True)
    target = collect(tmp_path, attached("ip-192.0.2.5:3260-iscsi-iqn.2001-04.com.example:a-lun-1"))
    assert target.drive_type == "iSCSI"
    assert target.installation_eligibility.not_eligible_reasons == (
        "it is reached by iSCSI, and cannot be booted from",
    )


@pytest.mark.parametrize(
    ("sysfs", "mountinfo", "reason"),
    [
        ({"size": "0"}, "", "its size is 0"),
        ({"removable": "1"}, "", "removable"),
        ({"ro": "1"}, "", "read-only"),
        ({"holders__dm-3": ""}, "", "in use by dm-3"),
        ({"vda1__holders__md0": ""}, "", "in use by md0"),
        ({}, MOUNTINFO, "mounted at /"),
    ],
)
def test_a_disk_is_ineligible_with_each_reason(
    tmp_path: Path, sysfs: dict[str, str], mountinfo: str, reason: str
) -> None:
    eligibility = collect(tmp_path, VDA, mountinfo=mountinfo, **sysfs).installation_eligibility
    assert not eligibility.eligible
    assert [reason in text for text in eligibility.not_eligible_reasons] == [True]


def test_the_medium_we_booted_from_is_never_eligible(tmp_path: Path) -> None:
    mountinfo = MOUNTINFO.replace(" / / ", " / /run/cluster0/medium ")
    disk = collect(tmp_path, VDA, mountinfo=mountinfo)
    assert disk.is_installation_media
    assert disk.installation_eligibility.not_eligible_reasons == ("it is the installation medium",)


def test_a_disk_has_a_boot_sector_with_code_and_signature(tmp_path: Path) -> None:
    machine_in(tmp_path).files.write("/dev/vda", b"\xeb" + bytes(509) + b"\x55\xaa")
    assert collect(tmp_path, VDA).bootable
    machine_in(tmp_path).files.write("/dev/vda", bytes(510) + b"\x55\xaa")
    assert not collect(tmp_path, VDA).bootable


@pytest.mark.parametrize("name", ["loop0", "ram1", "zram0", "dm-0", "md127"])
def test_block_devices_that_are_no_disks_are_left_out(tmp_path: Path, name: str) -> None:
    assert disks.collect(machine_in(tmp_path, disks=[BlockDevice(name, {}, (), ())])) == ()


def test_a_loop_device_counts_as_a_disk_where_the_kernel_scans_its_partitions(tmp_path: Path) -> None:
    found = machine_in(tmp_path, disks=[BlockDevice("loop0", {}, (), ()), BlockDevice("loop1", {}, (), ())])
    for name, is_scanned in (("loop0", "0"), ("loop1", "1")):
        found.files.write(f"/sys/block/{name}/loop/partscan", f"{is_scanned}\n")
    assert [disk.name for disk in disks.collect(found)] == ["loop1"]
