"""Boot media (a CD with the ISO, a USB stick with the ISO written to it, the network) and disks."""

from __future__ import annotations

import hashlib
import os
import shutil
from enum import StrEnum
from pathlib import Path

STICK_BYTES = 8 << 30
"""A stick is larger than its ISO, so the backup partition table is not at the end of the stick."""


class Medium(StrEnum):
    """`NETWORK`: no ISO; the machine boots by PXE from its first NIC."""

    CDROM = "cdrom"
    USB = "usb"
    NETWORK = "network"


def create_disk(path: Path, size: int) -> Path:
    """An empty disk of `size` bytes; a sparse file. Raises FileExistsError."""
    with path.open("xb") as disk:
        disk.truncate(size)
    return path


def write_stick(iso: Path, path: Path) -> Path:
    """The content that `dd if=ISO of=/dev/sdX` leaves on a stick."""
    shutil.copyfile(iso, path)
    os.truncate(path, max(STICK_BYTES, iso.stat().st_size))
    return path


def content_digest(disk: Path) -> str:
    """SHA-256 of all written ranges of the disk and their places. Holes are skipped, so empty disks cost no time."""
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
