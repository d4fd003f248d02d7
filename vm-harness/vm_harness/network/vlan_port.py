"""A program of its own: the port of a switch that adds and removes a VLAN's tag.

In user space, because the kernel of a CI machine may have neither 802.1Q nor VLAN-aware bridges.
usage: vlan_port.py VLAN PLAIN-TAP TAGGED-TAP PID-FILE. Returns when the port is open; a daemon serves it.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import sys
from pathlib import Path

# linux/if_tun.h
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000

ADDRESSES = 12
TPID = 0x8100  # IEEE 802.1Q, 9.4
VLAN_ID = 0x0FFF
MAX_FRAME_BYTES = 1 << 16


def tag(frame: bytes, vlan: int) -> bytes:
    return frame[:ADDRESSES] + struct.pack("!HH", TPID, vlan) + frame[ADDRESSES:]


def untag(frame: bytes, vlan: int) -> bytes | None:
    """None for a frame that is not of this VLAN."""
    kind, control = struct.unpack_from("!HH", frame, ADDRESSES)
    if kind != TPID or control & VLAN_ID != vlan:
        return None
    return frame[:ADDRESSES] + frame[ADDRESSES + 4 :]


def open_tap(name: str) -> int:
    """Attach to an existing TAP device. Raises OSError."""
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return tap


def serve(vlan: int, plain: int, tagged: int) -> None:
    """Copy frames between the two descriptors; never returns."""
    while True:
        for ready in select.select([plain, tagged], [], [])[0]:
            frame = os.read(ready, MAX_FRAME_BYTES)
            if ready == plain:
                os.write(tagged, tag(frame, vlan))
            elif (inner := untag(frame, vlan)) is not None:
                os.write(plain, inner)


def main(vlan: int, plain: str, tagged: str, pid_file: Path) -> None:
    taps = open_tap(plain), open_tap(tagged)
    if daemon := os.fork():
        pid_file.write_text(f"{daemon}\n")
        return
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    serve(vlan, *taps)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4]))
