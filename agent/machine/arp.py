"""Which machines have these IPv4 addresses: ARP requests and every answer to them, RFC 826.

All answers are kept: two machines may claim one address.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import defaultdict
from collections.abc import Collection
from ipaddress import IPv4Address

ETH_P_ARP = 0x0806
BROADCAST = b"\xff" * 6
ETHERNET, IPV4 = 1, 0x0800
REQUEST, REPLY = 1, 2
PACKET = struct.Struct("!HHBBH6s4s6s4s")

# Answers come at once; the second round is for lost packets.
ROUNDS = 2
ROUND_SECONDS = 0.5
BURST = 64


async def ask(nic: str, mac: str, own: str, addresses: Collection[str]) -> dict[str, set[str]]:
    """Address → the MACs that answered on `nic` within a second. `own`: our address there; empty: a probe, RFC 5227.

    Raises OSError when the NIC is not there or is down.
    """
    found: dict[str, set[str]] = defaultdict(set)
    targets = set(addresses)
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, 0) as arp:
        arp.bind((nic, ETH_P_ARP))
        listener = asyncio.create_task(_listen(arp, targets, found))
        try:
            for _ in range(ROUNDS):
                await _send(arp, nic, mac, own, sorted(targets - found.keys()))
                await asyncio.sleep(ROUND_SECONDS)
        finally:
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener
    return dict(found)


async def _send(arp: socket.socket, nic: str, mac: str, own: str, addresses: Collection[str]) -> None:
    source = bytes.fromhex(mac.replace(":", ""))
    sender = IPv4Address(own or "0.0.0.0").packed
    for number, address in enumerate(addresses):
        target = IPv4Address(address).packed
        packet = PACKET.pack(ETHERNET, IPV4, 6, 4, REQUEST, source, sender, bytes(6), target)
        with contextlib.suppress(BlockingIOError):  # a full queue: the next round repeats it
            arp.sendto(packet, (nic, ETH_P_ARP, 0, ETHERNET, BROADCAST))
        if number % BURST == BURST - 1:
            await asyncio.sleep(0.01)


async def _listen(arp: socket.socket, targets: Collection[str], found: dict[str, set[str]]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        packet = await loop.sock_recv(arp, 2048)
        if len(packet) < PACKET.size:
            continue
        *_, operation, mac, address, _, _ = PACKET.unpack_from(packet)
        if operation == REPLY and (name := str(IPv4Address(address))) in targets:
            found[name].add(mac.hex(":"))
