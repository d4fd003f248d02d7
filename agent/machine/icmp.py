"""Echo requests and their replies, for IPv4 (RFC 792) and IPv6 (RFC 4443), from one NIC or by the route.

One socket for all addresses: address and sequence number identify a reply.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address

HEADER = struct.Struct("!BBHHH")
IPV4_HEADER, IPV6_HEADER = 20, 40
REQUEST_V4, REPLY_V4, REQUEST_V6, REPLY_V6 = 8, 0, 128, 129

IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, PROBE = 10, 23, 3
BUFFER_BYTES = 1 << 20


@dataclass(frozen=True)
class Echoes:
    """`rtts`: seconds of each reply that came."""

    sent: int
    rtts: tuple[float, ...]


class EchoSocket:
    """Made by `echo_socket`."""

    def __init__(self, raw: socket.socket, family: int) -> None:
        self._raw = raw
        self._is_v6 = family == socket.AF_INET6
        self._id = int.from_bytes(os.urandom(2), "big")
        self._sequence = 0
        self._waiting: dict[tuple[str, int], asyncio.Future[float]] = {}

    async def echo(self, address: str, *, count: int, interval: float, timeout: float, size: int = 56) -> Echoes:
        """Send `count` requests `interval` s apart, `size` bytes with the ICMP header; wait `timeout` s for each."""
        replies = []
        for number in range(count):
            if number:
                await asyncio.sleep(interval)
            replies.append(asyncio.create_task(self._one(address, size, timeout)))
        rtts = await asyncio.gather(*replies)
        return Echoes(count, tuple(rtt for rtt in rtts if rtt is not None))

    async def _one(self, address: str, size: int, timeout: float) -> float | None:
        self._sequence = (self._sequence + 1) % 0x10000
        sequence = self._sequence
        key = (ip_address(address).compressed, sequence)
        reply: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting[key] = reply
        started = time.monotonic()
        try:
            self._raw.sendto(self._request(sequence, size), (address, 0))
            async with asyncio.timeout(timeout):
                return await reply - started
        except (OSError, TimeoutError):  # no route, too large for the NIC, or no answer: no difference here
            return None
        finally:
            del self._waiting[key]

    def _request(self, sequence: int, size: int) -> bytes:
        kind = REQUEST_V6 if self._is_v6 else REQUEST_V4
        payload = bytes(max(size - HEADER.size, 0))
        packet = HEADER.pack(kind, 0, 0, self._id, sequence) + payload
        if self._is_v6:  # the kernel fills in the checksum, for it knows the source address
            return packet
        return HEADER.pack(kind, 0, checksum(packet), self._id, sequence) + payload

    async def listen(self) -> None:
        """Run while the socket is in use: give each reply to the request that waits for it."""
        loop = asyncio.get_running_loop()
        while True:
            packet, (address, *_) = await loop.sock_recvfrom(self._raw, 65536)
            header = 0 if self._is_v6 else (packet[0] & 0xF) * 4
            if len(packet) < header + HEADER.size:
                continue
            kind, _, _, id, sequence = HEADER.unpack_from(packet, header)
            reply = self._waiting.get((address.partition("%")[0], sequence))
            if kind == (REPLY_V6 if self._is_v6 else REPLY_V4) and id == self._id and reply and not reply.done():
                reply.set_result(time.monotonic())


@asynccontextmanager
async def echo_socket(nic: str, family: int, *, whole: bool = False) -> AsyncIterator[EchoSocket]:
    """An echo socket on `nic` (empty: on any) while the block runs. Raises OSError without the right to open one.

    `whole`: packets are sent unfragmented or not at all; the cached MTU of the path is ignored.
    """
    protocol = socket.IPPROTO_ICMPV6 if family == socket.AF_INET6 else socket.IPPROTO_ICMP
    with socket.socket(family, socket.SOCK_RAW | socket.SOCK_NONBLOCK, protocol) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        if nic:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, nic.encode())
        if whole and family == socket.AF_INET6:
            raw.setsockopt(socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER, PROBE)
        elif whole:
            raw.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, PROBE)
        echoes = EchoSocket(raw, family)
        listener = asyncio.create_task(echoes.listen())
        try:
            yield echoes
        finally:
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener


def checksum(packet: bytes) -> int:
    """RFC 1071."""
    padded = packet + bytes(len(packet) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
