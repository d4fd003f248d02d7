"""Which machines have this IPv6 address: the probe of duplicate address detection, RFC 4862, and every answer to it.

The kernel probes once, and does not report the other MAC. This probe needs no address of our own: where the kernel has
found another host with an address, NetworkManager may have removed all addresses from the NIC.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from ipaddress import IPv6Address

from agent.machine.icmp import checksum

ETH_P_IPV6 = 0x86DD
ETHERNET = 1
ICMPV6 = 58
SOLICITATION, ADVERTISEMENT = 135, 136
TARGET_MAC = 2  # an option; its length counts in units of 8 bytes
HEADER = struct.Struct("!IHBB16s16s")  # version, payload's length, protocol, hop limit, source, destination
MESSAGE = struct.Struct("!BBHI16s")  # type, code, checksum, flags, target
MAC_OPTION = struct.Struct("!BB6s")
VERSION, HOP_LIMIT = 6 << 28, 255  # with a smaller hop limit it came through a router, and is ignored
SOLICITED_NODE = IPv6Address("ff02::1:ff00:0").packed[:13]

ROUNDS = 2
ROUND_SECONDS = 0.5


async def ask(nic: str, address: str) -> set[str]:
    """The MACs that answered for `address` on `nic` within a second. Raises OSError when the NIC is not there or is
    down."""
    target = IPv6Address(address).packed
    solicitation, group = _solicitation(target)
    found: set[str] = set()
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK, 0) as packets:
        packets.bind((nic, ETH_P_IPV6))
        listener = asyncio.create_task(_listen(packets, target, found))
        try:
            for _ in range(ROUNDS):
                packets.sendto(solicitation, (nic, ETH_P_IPV6, 0, ETHERNET, b"\x33\x33" + group[-4:]))
                await asyncio.sleep(ROUND_SECONDS)
        finally:
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener
    return found


def _solicitation(target: bytes) -> tuple[bytes, bytes]:
    """The packet, and the multicast group that it goes to."""
    group = SOLICITED_NODE + target[-3:]
    pseudo_header = struct.pack("!16s16sII", bytes(16), group, MESSAGE.size, ICMPV6)
    right = checksum(pseudo_header + MESSAGE.pack(SOLICITATION, 0, 0, 0, target))
    header = HEADER.pack(VERSION, MESSAGE.size, ICMPV6, HOP_LIMIT, bytes(16), group)
    return header + MESSAGE.pack(SOLICITATION, 0, right, 0, target), group


async def _listen(packets: socket.socket, target: bytes, found: set[str]) -> None:
    loop = asyncio.get_running_loop()
    while True:
        packet = await loop.sock_recv(packets, 2048)
        if len(packet) < HEADER.size + MESSAGE.size + MAC_OPTION.size:
            continue
        _, _, protocol, hop_limit, _, _ = HEADER.unpack_from(packet)
        kind, *_, advertised = MESSAGE.unpack_from(packet, HEADER.size)
        option, _, mac = MAC_OPTION.unpack_from(packet, HEADER.size + MESSAGE.size)
        if (protocol, hop_limit, kind, advertised, option) == (ICMPV6, HOP_LIMIT, ADVERTISEMENT, target, TARGET_MAC):
            found.add(mac.hex(":"))
