"""The UEFI boot order, read from variables in the firmware's format."""

from __future__ import annotations

import struct
from pathlib import Path

from agent.inventory import boot_order
from agent.inventory.memory import parse_swaps
from agent.machine import Files
from agent.model.inventory import BootEntry

ATTRIBUTES = struct.pack("<I", 7)
HARD_DRIVE = bytes([0x04, 0x01, 0x2A, 0x00]) + bytes(38)
PCI = bytes([0x01, 0x01, 0x06, 0x00, 0x00, 0x02])
MAC = bytes([0x03, 0x0B, 0x25, 0x00]) + bytes(33)
END = bytes([0x7F, 0xFF, 0x04, 0x00])


def option(name: str, *nodes: bytes) -> bytes:
    path = b"".join((*nodes, END))
    return struct.pack("<IH", 1, len(path)) + name.encode("utf-16-le") + b"\0\0" + path


def test_the_efi_boot_order_has_names_and_kinds(tmp_path: Path) -> None:
    files = Files(tmp_path)
    values = {
        "BootOrder": struct.pack("<HHH", 2, 0, 0x1A),
        "Boot0002": option("UEFI PXEv4 (MAC:525400000001)", PCI, MAC),
        "Boot0000": option("debian", HARD_DRIVE),
        "Boot001A": option("EFI Internal Shell"),
    }
    for name, value in values.items():
        files.write(f"{boot_order.VARIABLES}/{name}-{boot_order.GLOBAL}", ATTRIBUTES + value)
    assert boot_order.collect(files) == (
        BootEntry(name="UEFI PXEv4 (MAC:525400000001)", kind="network"),
        BootEntry(name="debian", kind="disk"),
        BootEntry(name="EFI Internal Shell", kind="other"),
    )


def test_under_bios_or_with_broken_variables_the_boot_order_is_empty(tmp_path: Path) -> None:
    files = Files(tmp_path)
    assert boot_order.collect(files) == ()
    files.write(f"{boot_order.VARIABLES}/BootOrder-{boot_order.GLOBAL}", ATTRIBUTES + b"\x01\x00\x02")
    files.write(f"{boot_order.VARIABLES}/Boot0001-{boot_order.GLOBAL}", ATTRIBUTES + b"\x01\0\0\0\xff\xffab\x03\x0b\0")
    assert [entry.kind for entry in boot_order.collect(files)] == ["other"]


def test_swap_in_use_is_added_up() -> None:
    swaps = "Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 1024 0 100\n/swapfile file 2048 0 -2\n"
    assert parse_swaps(swaps) == 3072 * 1024
    assert parse_swaps("") == 0
