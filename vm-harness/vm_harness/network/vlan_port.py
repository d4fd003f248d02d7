"""A program of its own: the port of a switch that adds and removes a VLAN's tag.

In user space, because the kernel of a CI machine may have neither 802.1Q nor VLAN-aware bridges.
usage: python -m vm_harness.network.vlan_port VLAN PLAIN-TAP TAGGED-TAP PID-FILE. Returns when the port is open; a
daemon serves it.
"""

from __future__ import annotations

import os
import select
import struct
import sys
from pathlib import Path

from vm_harness.network.tap import MAX_FRAME_BYTES, became_daemon, open_tap

ADDRESSES = 12
TPID = 0x8100  # IEEE 802.1Q, 9.4
VLAN_ID = 0x0FFF


def tag(frame: bytes, vlan: int) -> bytes:
    return frame[:ADDRESSES] + struct.pack("!HH", TPID, vlan) + frame[ADDRESSES:]


def untag(frame: bytes, vlan: int) -> bytes | None:
    """None for a frame that is not of this VLAN."""
    kind, control = struct.unpack_from("!HH", frame, ADDRESSES)
    if kind != TPID or control & VLAN_ID != vlan:
        return None
    return frame[:ADDRESSES] + frame[ADDRESSES + 4 :]


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
    if became_daemon(pid_file):
        serve(vlan, *taps)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4]))
