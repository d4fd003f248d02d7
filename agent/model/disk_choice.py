"""Which disks fit the user's hints, which of several is taken, and the sentence that describes a disk. Pure.

node0 chooses with this; the install step only looks the chosen disk up. Hints are those of metal3's bare-metal
operator; all that are given must fit. Of several disks the first in assisted-service's order is taken. One thing
differs: disks of a storage network come last, because without a hint the user does not mean them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agent.model.intent import RootDeviceHints
from agent.model.inventory import FIBRE_CHANNEL, Disk

# Decimal, as disk makers count.
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
    hinted, found = (_WWN_PREFIX.sub("", text.strip().lower()) for text in (hint, disk.wwn))
    return hinted == found or (len(found) > _WWN_DIGITS and hinted == found[:_WWN_DIGITS])


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
    """The hints, as the inputs spell them, that `disk` does not fit; empty when it fits all."""
    return tuple(name for name, value in _given(hints).items() if not _HINTS[name][1](value, disk))


def in_words(hints: RootDeviceHints) -> str:
    """`deviceName /dev/sda, rotational false`; empty without a hint."""
    shown = {name: str(value).lower() if isinstance(value, bool) else value for name, value in _given(hints).items()}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def order(disk: Disk) -> tuple[bool, bool, bool, str, int, str]:
    """Sort key: local disks first, then bootable ones, then others than NVMe; then by type, size and HCTL."""
    return (
        disk.drive_type == FIBRE_CHANNEL,
        not disk.bootable,
        disk.name.startswith("nvme"),
        disk.drive_type,
        disk.size_bytes,
        disk.hctl,
    )


def disk_lines(disks: Iterable[Disk], why_not: Callable[[Disk], Sequence[str]]) -> tuple[str, ...]:
    """For each disk its names, what it is, and the reasons of `why_not` against it, or that it can be used."""
    return tuple(f"{_described(disk)}: {', '.join(why_not(disk)) or 'can be used'}" for disk in disks)


def gigabytes(size: int) -> int:
    """Decimal gigabytes, rounded down."""
    return size // _GIGABYTE


def _described(disk: Disk) -> str:
    names = ", ".join(dict.fromkeys(name for name in (disk.path, disk.by_path, disk.by_id) if name))
    facts = (
        f"{gigabytes(disk.size_bytes)} GB {disk.drive_type}", disk.vendor, disk.model,
        disk.serial and f"serial {disk.serial}", disk.wwn and f"WWN {disk.wwn}", disk.hctl and f"HCTL {disk.hctl}",
    )  # fmt: skip
    return f"{names} ({', '.join(filter(None, facts))})"
