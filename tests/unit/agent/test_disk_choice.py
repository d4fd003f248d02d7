"""The meaning of each root device hint, for disks as udev and sysfs describe them."""

from __future__ import annotations

from typing import Any

import pytest

from agent.model.disk_choice import in_words, misfits, order
from agent.model.intent import RootDeviceHints
from agent.model.inventory import Disk

SAS = Disk(
    id="/dev/disk/by-id/wwn-0x600508e000000000ce506dc50ab0ad05",
    name="sda",
    path="/dev/sda",
    by_id="/dev/disk/by-id/wwn-0x600508e000000000ce506dc50ab0ad05",
    by_path="/dev/disk/by-path/pci-0000:00:1f.2-ata-1",
    links=("/dev/disk/by-path/pci-0000:00:1f.2-ata-1", "/dev/disk/by-path/pci-0000:00:1f.2-ata-1.0"),
    hctl="1:0:0:0",
    wwn="0x600508e000000000ce506dc50ab0ad05",
    model="Samsung_SSD_870_EVO_1TB",
    vendor="ATA",
    serial="S6PTNM0T",
    size_bytes=1_000_204_886_016,
    drive_type="SSD",
)


def disk(name: str, *, size: int = 100, kind: str = "SSD", hctl: str = "") -> Disk:
    """`size` in gigabytes."""
    return Disk(id=name, name=name, path=f"/dev/{name}", size_bytes=size * 1000**3, drive_type=kind, hctl=hctl)


@pytest.mark.parametrize(
    "hints",
    [
        {},
        {"device_name": "/dev/sda"},
        {"device_name": "/dev/disk/by-path/pci-0000:00:1f.2-ata-1.0"},
        {"hctl": "1:0:0:0"},
        {"model": "Samsung SSD 870"},
        {"model": "samsung_ssd"},
        {"vendor": "ata"},
        {"serial_number": "S6PTNM0T"},
        {"min_size_gigabytes": 1000},
        {"wwn": "0x600508e000000000"},
        {"wwn": "0x600508E000000000CE506DC50AB0AD05"},
        {"wwn": "naa.600508e000000000ce506dc50ab0ad05"},
        {"rotational": False},
        {"rotational": False, "vendor": "ATA", "min_size_gigabytes": 500},
    ],
)
def test_a_disk_that_meets_a_hint_fits(hints: dict[str, Any]) -> None:
    assert misfits(SAS, RootDeviceHints(**hints)) == ()


@pytest.mark.parametrize(
    ("hints", "wrong"),
    [
        ({"device_name": "/dev/sdb"}, "deviceName"),
        ({"hctl": "1:0:0:1"}, "hctl"),
        ({"model": "870 QVO"}, "model"),
        ({"vendor": "Dell"}, "vendor"),
        ({"serial_number": "S6PT"}, "serialNumber"),
        ({"min_size_gigabytes": 1001}, "minSizeGigabytes"),
        ({"wwn": "0x600508e0000000"}, "wwn"),
        ({"wwn": "0x600508e000000001"}, "wwn"),
        ({"rotational": True}, "rotational"),
    ],
)
def test_a_disk_that_misses_a_hint_does_not_fit(hints: dict[str, Any], wrong: str) -> None:
    assert misfits(SAS, RootDeviceHints(**hints)) == (wrong,)


def test_a_disk_of_unknown_properties_fits_no_hint_about_them() -> None:
    unknown = Disk(id="/dev/vda", name="vda", path="/dev/vda", size_bytes=1)
    hints = RootDeviceHints(model="x", vendor="x", serial_number="x", wwn="0x5000c500a1b2c3d4", hctl="0:0:0:0")
    assert misfits(unknown, hints) == ("hctl", "model", "vendor", "serialNumber", "wwn")


def test_root_device_hints_are_shown_as_written() -> None:
    hints = RootDeviceHints(model="SSD", min_size_gigabytes=100, rotational=False)
    assert in_words(hints) == "model SSD, minSizeGigabytes 100, rotational false"


def test_a_disk_of_a_storage_network_comes_after_all_others() -> None:
    local = Disk(id="/dev/nvme0n1", name="nvme0n1", path="/dev/nvme0n1", drive_type="SSD", size_bytes=10**13)
    lun = Disk(id="/dev/sda", name="sda", path="/dev/sda", drive_type="FC", size_bytes=10**12, bootable=True)
    assert min((lun, local), key=order) is local


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (disk("sda", size=900), disk("nvme0n1")),
        (disk("sdb", kind="HDD", size=900), disk("sda")),
        (disk("sdb"), disk("sda", size=200)),
        (disk("sda", hctl="0:0:0:0"), disk("sdb", hctl="1:0:0:0")),
    ],
)
def test_of_several_disks_the_first_in_assisted_services_order_is_taken(first: Disk, second: Disk) -> None:
    assert min((second, first), key=order) is first
