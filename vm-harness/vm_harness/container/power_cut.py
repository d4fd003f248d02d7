"""A power cut for file systems: what the kernel has not written yet is lost.

Ending the processes alone would be too kind: the kernel would unmount the file systems in order and write everything.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from pathlib import Path

# EXT4_IOC_SHUTDOWN and EXT4_GOING_FLAGS_NOLOGFLUSH of fs/ext4/ext4.h: not even the journal is written.
SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2


def stop_writing(process: int, disk: str) -> None:
    """Shut down every ext4 on partitions of `disk` ("loop8") that is mounted in the mount namespace of `process`.

    From then on each access of a process fails, and nothing reaches the disk any more.
    """
    mounts = Path(f"/proc/{process}/mountinfo")
    for line in mounts.read_text().splitlines():
        before, _, after = line.partition(" - ")
        point, (kind, source) = before.split()[4], after.split()[:2]
        if kind == "ext4" and source.startswith(f"/dev/{disk}p"):
            _shut_down(Path(f"/proc/{process}/root{point}"))


def _shut_down(point: Path) -> None:
    with contextlib.suppress(OSError):  # It is read-only, or was shut down by another mount of the same file system.
        descriptor = os.open(point, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        finally:
            os.close(descriptor)
