"""Whether the boot medium of this host can still be read: a virtual drive may be detached at any time."""

from __future__ import annotations

import contextlib
import os

from agent.inventory.mounts import mounted_device
from agent.machine import Machine
from agent.model.host_paths import MEDIUM_MOUNT

# The primary volume descriptor of an ISO 9660 file system.
DESCRIPTOR = 0x8000
BYTES = 2048


def is_readable(machine: Machine) -> bool:
    """Read a block of it, past the page cache. True where none is mounted, or it was fetched into memory. Blocks."""
    device = mounted_device(machine.files, MEDIUM_MOUNT)
    if not device.startswith("/"):
        return True
    try:
        handle = os.open(machine.files.at(device), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, handle)
        try:
            os.posix_fadvise(handle, DESCRIPTOR, BYTES, os.POSIX_FADV_DONTNEED)
            return len(os.pread(handle, BYTES, DESCRIPTOR)) == BYTES
        except OSError:
            return False
