"""A cable between two network namespaces that is slow, loses, or is too narrow: a process that passes every frame on.

The kernel here may have no netem; this needs no more than TAP devices, and its faults are exact. Run it in a namespace
of its own: `python -m tests.fakes.network.wire PID PID [options]` puts an end named eth0 into each process's namespace.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import struct
import subprocess
import sys

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
ETHERNET_HEADER = 14
IPV4, TCP = 0x0800, 6


def tap(name: str) -> int:
    handle = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(handle, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return handle


class Wire:
    """`lose`: of so many echo replies one; 0: none. `largest`: bytes of an IP packet. `closed`: TCP port dropped."""

    def __init__(self, ends: tuple[int, int], options: argparse.Namespace) -> None:
        self._other = {ends[0]: ends[1], ends[1]: ends[0]}
        self._options = options
        self._echoes = 0

    def pass_on(self, end: int) -> None:
        frame = os.read(end, 65536)
        if not self._is_lost(frame):
            loop = asyncio.get_running_loop()
            loop.call_later(self._options.delay / 1000, os.write, self._other[end], frame)

    def _is_lost(self, frame: bytes) -> bool:
        packet = frame[ETHERNET_HEADER:]
        if len(packet) > self._options.largest:
            return True
        if int.from_bytes(frame[12:14], "big") != IPV4:
            return False
        content = packet[(packet[0] & 0xF) * 4 :]
        if packet[9] == TCP:
            return bool(int.from_bytes(content[2:4], "big") == self._options.closed)
        if content[:1] == b"\0":
            self._echoes += 1
            return bool(self._options.lose) and self._echoes % self._options.lose == 0
        return False


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("pids", nargs=2)
    parser.add_argument("--delay", type=float, default=0.0, help="milliseconds, each way")
    parser.add_argument("--lose", type=int, default=0)
    parser.add_argument("--largest", type=int, default=65536)
    parser.add_argument("--closed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    options = parse()
    ends = (tap("end0"), tap("end1"))
    for name, pid in zip(("end0", "end1"), options.pids, strict=True):
        subprocess.run(["ip", "link", "set", name, "netns", pid, "name", "eth0"], check=True)
    asyncio.run(carry(ends, Wire(ends, options)))


async def carry(ends: tuple[int, int], wire: Wire) -> None:
    for end in ends:
        asyncio.get_running_loop().add_reader(end, wire.pass_on, end)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    main()
