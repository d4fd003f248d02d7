"""Which disk is meant by hints, and which of several comes first. Pure; node0's service and the install ask the same.

Hints are those of metal3's bare-metal operator; all that are given must fit. The order of choice is assisted-service's,
but for disks of a storage network, which come last: without a hint nobody means them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from agent.model.intent import RootDeviceHints
from agent.model.inventory import FIBRE_CHANNEL, Disk

# Decimal, as makers of disks count.
_GIGABYTE = 1000**3
# In front of the hex digits of a world-wide name: udev's, lsblk's and sysfs' (naa, eui) ways to write it.
_WWN_PREFIX = re.compile(r"^(0x|wwn-0x|naa\.|eui\.)")
# Digits of the name that the standard (NAA 5) fixes; a vendor's extension (NAA 6) follows.
_WWN_DIGITS = 16


def _same_text(hint: str, found: str) -> bool:
    return _words(hint) == _words(found)


def _part_of_text(hint: str, found: str) -> bool:
    return _words(hint) in _words(found)


def _words(text: str) -> str:
    """udev writes the spaces of a model as underscores, lsblk and data sheets do not."""
    return " ".join(text.replace("_", " ").casefold().split())


def _is_wwn(hint: str, disk: Disk) -> bool:
    wanted, found = (_WWN_PREFIX.sub("", text.strip().lower()) for text in (hint, disk.wwn))
    return wanted == found or (len(found) > _WWN_DIGITS and wanted == found[:_WWN_DIGITS])


def is_named(disk: Disk, name: str) -> bool:
    """Whether `name` (a path, any of udev's links below /dev/disk, an id of the inventory) is one of the disk's."""
    return name in {disk.id, disk.path, disk.by_path, disk.by_id, *disk.links}


# Hint as the inputs spell it → its value (empty: not given), and whether a disk fits it.
_HINTS: dict[str, tuple[Callable[[RootDeviceHints], Any], Callable[[Any, Disk], bool]]] = {
    "deviceName": (lambda hints: hints.device_name, lambda hint, disk: is_named(disk, hint)),
    "hctl": (lambda hints: hints.hctl, lambda hint, disk: hint == disk.hctl),
    "model": (lambda hints: hints.model, lambda hint, disk: _part_of_text(hint, disk.model)),
    "vendor": (lambda hints: hints.vendor, lambda hint, disk: _part_of_text(hint, disk.vendor)),
    "serialNumber": (lambda hints: hints.serial_number, lambda hint, disk: _same_text(hint, disk.serial)),
    "minSizeGigabytes": (
        lambda hints: hints.min_size_gigabytes or "",
        lambda hint, disk: disk.size_bytes >= hint * _GIGABYTE,
    ),
    "wwn": (lambda hints: hints.wwn, _is_wwn),
    "rotational": (
        lambda hints: "" if hints.rotational is None else hints.rotational,
        lambda hint, disk: hint == (disk.drive_type == "HDD"),
    ),
}


def _given(hints: RootDeviceHints) -> dict[str, Any]:
    values = {name: read(hints) for name, (read, _) in _HINTS.items()}
    return {name: value for name, value in values.items() if value != ""}


def misfits(disk: Disk, hints: RootDeviceHints) -> tuple[str, ...]:
    """The hints, as the inputs spell them, that `disk` does not fit; empty: it is meant."""
    return tuple(name for name, value in _given(hints).items() if not _HINTS[name][1](value, disk))


def in_words(hints: RootDeviceHints) -> str:
    """`deviceName /dev/sda, rotational false`; empty without a hint."""
    shown = {name: str(value).lower() if isinstance(value, bool) else value for name, value in _given(hints).items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def order(disk: Disk) -> tuple[bool, bool, bool, str, int, str]:
    """This machine's own first, then bootable, then not NVMe, then by type, then the smallest, then by HCTL."""
    return (
        disk.drive_type == FIBRE_CHANNEL,
        not disk.bootable,
        disk.name.startswith("nvme"),
        disk.drive_type,
        disk.size_bytes,
        disk.hctl,
    )
