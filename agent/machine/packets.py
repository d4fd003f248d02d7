"""Probes that this machine sends to others. Needs root: ARP and echoes go by raw sockets.

asyncio and the probes are imported by the first of them: programs that send nothing start in half the time without.
"""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.machine.icmp import EchoSocket


class Packets:
    """Opens sockets in the network namespace of its caller."""

    async def arp(self, nic: str, mac: str, own: str, addresses: Collection[str]) -> dict[str, set[str]]:
        """See `agent.machine.arp.ask`."""
        from agent.machine import arp

        return await arp.ask(nic, mac, own, addresses)

    async def answering(self, address: str, nic: str, mac: str) -> set[str]:
        """The MACs of others on the network of `nic`, whose own is `mac`, that answer for this IP address. Raises
        OSError where the NIC is gone or down."""
        from agent.machine import arp, ndp

        if ":" in address:
            return await ndp.ask(nic, address)
        return (await arp.ask(nic, mac, "", [address])).get(address, set())

    async def others_with(self, address: str, nic: str, mac: str) -> set[str]:
        """The MACs that `answering` returns; empty if the NIC is gone or down."""
        try:
            return await self.answering(address, nic, mac)
        except OSError:
            return set()

    def echoes(self, nic: str, family: int, *, whole: bool = False) -> AbstractAsyncContextManager[EchoSocket]:
        """See `agent.machine.icmp.echo_socket`."""
        from agent.machine import icmp

        return icmp.echo_socket(nic, family, whole=whole)

    async def gets_through(self, address: str, port: int, *, seconds: float) -> bool:
        """Whether a TCP connection is accepted within `seconds`, or refused: the peer itself refused, so the packet got
        there and its answer came back."""
        import asyncio

        try:
            async with asyncio.timeout(seconds):
                _, writer = await asyncio.open_connection(address, port)
        except TimeoutError:
            return False
        except OSError as error:
            return error.errno == errno.ECONNREFUSED
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return True
