"""TAP devices, for programs that are a part of the network and stay."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

# linux/if_tun.h
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000

MAX_FRAME_BYTES = 1 << 16


def open_tap(name: str) -> int:
    """Attach to an existing TAP device. Raises OSError."""
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return tap


def became_daemon(pid_file: Path) -> bool:
    """True in a new process that goes on without terminal and session; False in the old one, which should return."""
    if daemon := os.fork():
        pid_file.write_text(f"{daemon}\n")
        return False
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    return True
