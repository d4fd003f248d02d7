"""What a machine boots from: a CD with the ISO, a USB stick the ISO was written to, the network; and its disks."""

from __future__ import annotations

import hashlib
import os
import shutil
from enum import StrEnum
from pathlib import Path

STICK_BYTES = 8 << 30
"""A stick is larger than the ISO on it: the backup partition table is not at its end."""


class Medium(StrEnum):
    """How the ISO is put into the machine; `NETWORK`: not at all, it boots by PXE from its first NIC."""

    CDROM = "cdrom"
    USB = "usb"
    NETWORK = "network"


def create_disk(path: Path, size: int) -> Path:
    """An empty disk of `size` bytes; takes space only as it is written."""
    with path.open("xb") as disk:
        disk.truncate(size)
    return path


def write_stick(iso: Path, path: Path) -> Path:
    """What `dd if=ISO of=/dev/sdX` leaves on a stick."""
    shutil.copyfile(iso, path)
    os.truncate(path, max(STICK_BYTES, iso.stat().st_size))
    return path


def content_digest(disk: Path) -> str:
    """SHA-256 over all that was ever written to the disk, and where; holes are skipped, so empty disks are cheap."""
    digest = hashlib.sha256()
    with disk.open("rb") as file:
        for start, end in _written_ranges(file.fileno()):
            digest.update(f"{start}+{end - start}\n".encode())
            file.seek(start)
            while start < end:
                chunk = file.read(min(1 << 20, end - start))
                digest.update(chunk)
                start += len(chunk)
    return digest.hexdigest()


def _written_ranges(fd: int) -> list[tuple[int, int]]:
    ranges, end, size = [], 0, os.fstat(fd).st_size
    while end < size:
        try:
            start = os.lseek(fd, end, os.SEEK_DATA)
        except OSError:  # ENXIO: no data after this offset
            break
        end = os.lseek(fd, start, os.SEEK_HOLE)
        ranges.append((start, end))
    return ranges
