"""What a machine boots, by the rule of its firmware and of the ISO's boot loader (docs/design/disk.md). Reads only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from vm_harness.container.mounts import Mounts

SECTOR = 512
BOOT_CODE_BYTES = 440
TRY_NEXT_DEVICE = b"\xcd\x18"
"""int 0x18: the BIOS goes on to the next device."""
LINUX = re.compile(r"^\s*linux\s+/\S+\s+(.*)$", re.MULTILINE)
SETTING = re.compile(r'^set (\w+)="(.*)"$', re.MULTILINE)


class Source(StrEnum):
    """`NOTHING`: no boot device."""

    DISK = "disk"
    MEDIUM = "medium"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Boot:
    """`reason`: for the console. `arguments`: the kernel's command line."""

    source: Source
    reason: str
    arguments: str = ""


def choose(disk: Path, medium: Path, mounts: Mounts) -> Boot:
    """The disk if its boot sector starts something; else the medium, whose GRUB looks for an installed disk first.

    `disk`, `medium`: block devices.
    """
    if _has_boot_code(disk):
        return _from_disk(disk, mounts, "the disk is bootable, and is tried first")
    with mounts.for_a_look(medium, "squashfs") as tree:
        if tree is None:
            return Boot(Source.NOTHING, "no bootable device: the disk has no boot code, and there is no medium")
        settings = dict(SETTING.findall((tree / "boot/grub/kargs.cfg").read_text()))
        line = LINUX.findall((tree / "boot/grub/grub.cfg").read_text())[0]
    if _has_marker(disk, settings["cluster0_id"], mounts):
        return _from_disk(disk, mounts, "the medium found its own cluster on the disk")
    return Boot(Source.MEDIUM, "the disk is not bootable yet", line.replace("$extra_kargs", settings["extra_kargs"]))


def _has_marker(disk: Path, cluster: str, mounts: Mounts) -> bool:
    with mounts.for_a_look(_partition(disk, 3), "ext4") as boot:
        return boot is not None and cluster != "" and (boot / f"cluster0/installed-{cluster}").exists()


def _from_disk(disk: Path, mounts: Mounts, reason: str) -> Boot:
    with mounts.for_a_look(_partition(disk, 3), "ext4") as boot:
        if boot is None or not (boot / "grub/grub.cfg").exists():
            return Boot(Source.NOTHING, f"{reason}, but GRUB finds no configuration on its third partition")
        return Boot(Source.DISK, reason, LINUX.findall((boot / "grub/grub.cfg").read_text())[0])


def _has_boot_code(disk: Path) -> bool:
    with disk.open("rb") as device:
        sector = device.read(SECTOR)
    return sector[510:] == b"\x55\xaa" and any(sector[:BOOT_CODE_BYTES]) and not sector.startswith(TRY_NEXT_DEVICE)


def _partition(disk: Path, number: int) -> Path:
    return disk.with_name(f"{disk.name}p{number}")
