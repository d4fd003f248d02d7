"""Which other hosts can be reached: ARP or neighbour discovery, echoes, full-size packets and TCP ports, concurrently.

Upstream's agent starts three programs for each pair of hosts; this takes one process and a few sockets. 30 hosts check
each other in three seconds, or four where one does not answer. The number of probes in flight is bounded. Their order
is random, so that the hosts do not all start with the same one.
"""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeVar

from agent.api.checks import ConnectivityReport, L2Connectivity, L3Connectivity, MtuReport, Peer, RemoteHost, TcpReport
from agent.checks.nics import Home, homes, towards
from agent.machine import Machine
from agent.machine.icmp import IPV4_HEADER, IPV6_HEADER, EchoSocket

Result = TypeVar("Result")

IN_FLIGHT = 64
ECHOES, INTERVAL, TIMEOUT = 10, 0.1, 3.0
WHOLE_ECHOES = 3
TCP_SECONDS = 2.0


@dataclass(frozen=True)
class Target:
    """One address of a peer, seen from one of our NICs; `home` None: it is behind a router."""

    host_id: str
    address: str
    macs: frozenset[str]
    home: Home | None

    @property
    def nic(self) -> str:
        return self.home.nic if self.home else ""

    @property
    def family(self) -> int:
        return socket.AF_INET6 if ":" in self.address else socket.AF_INET


def targets(peers: Iterable[Peer], own: Sequence[Home]) -> tuple[Target, ...]:
    """Every address of every peer, from every NIC in its network, or by the route where no NIC is."""
    return tuple(
        Target(peer.host_id, ip_address(address).compressed, macs, home)
        for peer in peers
        for macs in (frozenset(nic.mac.lower() for nic in peer.nics),)
        for nic in peer.nics
        for address in nic.ip_addresses
        for home in (towards(address, own) or (None,))
    )


async def connectivity(machine: Machine, peers: Sequence[Peer]) -> ConnectivityReport:
    """What each of `peers` looks like from here. Raises OSError without the right to send raw packets."""
    own = await asyncio.to_thread(homes, machine)
    probed = list(targets(peers, own))
    random.shuffle(probed)
    prober = Prober(machine)
    answering, echoed, whole, ports = await asyncio.gather(
        prober.arp(probed), prober.echo(probed), prober.whole(probed), prober.tcp(peers)
    )
    neighbours = await asyncio.to_thread(machine.netlink.neighbours)
    for target in probed:
        if target.home is not None and target.family == socket.AF_INET6:
            mac = neighbours.get((target.nic, target.address))
            answering[target.nic, target.address] = {mac} if mac else set()
    return ConnectivityReport(
        remote_hosts=tuple(
            RemoteHost(
                host_id=peer.host_id,
                l2_connectivity=tuple(
                    seen for target in probed if target.host_id == peer.host_id for seen in _l2(target, answering)
                ),
                l3_connectivity=tuple(echoed[target] for target in probed if target.host_id == peer.host_id),
                mtu_report=tuple(whole[target] for target in probed if target.host_id == peer.host_id and target.home),
                tcp_connectivity=ports[peer.host_id],
            )
            for peer in peers
        )
    )


def _l2(target: Target, answering: dict[tuple[str, str], set[str]]) -> Iterable[L2Connectivity]:
    if target.home is None:
        return
    for mac in sorted(answering.get((target.nic, target.address), ())) or [""]:
        yield L2Connectivity(
            outgoing_nic=target.nic,
            outgoing_ip_address=str(target.home.own.ip),
            remote_ip_address=target.address,
            remote_mac=mac,
            successful=mac in target.macs,
        )


class Prober:
    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._slots = asyncio.Semaphore(IN_FLIGHT)

    async def arp(self, probed: Iterable[Target]) -> dict[tuple[str, str], set[str]]:
        """(NIC, IPv4 address) → MACs that answered."""
        by_home: dict[Home, set[str]] = {}
        for target in probed:
            if target.home is not None and target.family == socket.AF_INET:
                by_home.setdefault(target.home, set()).add(target.address)
        answers = await asyncio.gather(
            *(
                self._machine.packets.arp(home.nic, home.mac, str(home.own.ip), addresses)
                for home, addresses in by_home.items()
            )
        )
        return {
            (home.nic, found): macs
            for home, answer in zip(by_home, answers, strict=True)
            for found, macs in answer.items()
        }

    async def echo(self, probed: Sequence[Target]) -> dict[Target, L3Connectivity]:
        async with AsyncExitStack() as stack:
            sockets = await self._sockets(probed, stack, whole=False)
            reports = [self._in_turn(_echo(sockets[target.nic, target.family], target)) for target in probed]
            return dict(zip(probed, await asyncio.gather(*reports), strict=True))

    async def whole(self, probed: Sequence[Target]) -> dict[Target, MtuReport]:
        """Packets as large as the NIC's MTU, to neighbours only: beyond a router another MTU may be right."""
        near = [target for target in probed if target.home]
        async with AsyncExitStack() as stack:
            sockets = await self._sockets(near, stack, whole=True)
            reports = [self._in_turn(_whole(sockets[target.nic, target.family], target)) for target in near]
            return dict(zip(near, await asyncio.gather(*reports), strict=True))

    async def tcp(self, peers: Sequence[Peer]) -> dict[str, tuple[TcpReport, ...]]:
        """Host id → a report for each of the peer's addresses and TCP ports."""
        pairs = [
            (peer.host_id, address, port)
            for peer in peers
            for nic in peer.nics
            for address in nic.ip_addresses
            for port in peer.tcp_ports
        ]
        reports = await asyncio.gather(*(self._in_turn(self._connect(address, port)) for _, address, port in pairs))
        found: dict[str, tuple[TcpReport, ...]] = {peer.host_id: () for peer in peers}
        for (host_id, _, _), report in zip(pairs, reports, strict=True):
            found[host_id] = (*found[host_id], report)
        return found

    async def _connect(self, address: str, port: int) -> TcpReport:
        through = await self._machine.packets.gets_through(address, port, seconds=TCP_SECONDS)
        return TcpReport(remote_ip_address=address, port=port, successful=through)

    async def _sockets(
        self, probed: Iterable[Target], stack: AsyncExitStack, *, whole: bool
    ) -> dict[tuple[str, int], EchoSocket]:
        """One for each NIC and family."""
        found = {}
        for nic, family in {(target.nic, target.family) for target in probed}:
            opened = self._machine.packets.echoes(nic, family, whole=whole)
            found[nic, family] = await stack.enter_async_context(opened)
        return found

    async def _in_turn(self, work: Awaitable[Result]) -> Result:
        async with self._slots:
            return await work


async def _echo(echoes: EchoSocket, target: Target) -> L3Connectivity:
    echoed = await echoes.echo(target.address, count=ECHOES, interval=INTERVAL, timeout=TIMEOUT)
    return L3Connectivity(
        outgoing_nic=target.nic,
        remote_ip_address=target.address,
        successful=bool(echoed.rtts),
        average_rtt_ms=round(1000 * sum(echoed.rtts) / len(echoed.rtts), 3) if echoed.rtts else 0.0,
        packet_loss_percentage=round(100 * (1 - len(echoed.rtts) / echoed.sent), 1),
    )


async def _whole(echoes: EchoSocket, target: Target) -> MtuReport:
    assert target.home is not None
    header = IPV6_HEADER if target.family == socket.AF_INET6 else IPV4_HEADER
    echoed = await echoes.echo(
        target.address, count=WHOLE_ECHOES, interval=INTERVAL, timeout=TIMEOUT, size=target.home.mtu - header
    )
    return MtuReport(outgoing_nic=target.nic, remote_ip_address=target.address, mtu_successful=bool(echoed.rtts))
