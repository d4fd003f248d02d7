"""Are the other hosts there? ARP or neighbour discovery, echoes, whole packets and TCP ports, all of them side by side.

One process and a few sockets do what upstream's agent starts three programs a pair for: 30 hosts see each other in
three seconds, or four where one does not answer. What is in flight is bounded, and the order is random, or all hosts
would begin with the same one.
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
ECHOES, INTERVAL, PATIENCE = 10, 0.1, 3.0
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
    """Every address of every peer, from every NIC that has it next door; by the route where none has."""
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
    wanted = list(targets(peers, own))
    random.shuffle(wanted)
    prober = Prober(machine)
    answering, echoed, whole, ports = await asyncio.gather(
        prober.arp(wanted), prober.echo(wanted), prober.whole(wanted), prober.tcp(peers)
    )
    neighbours = await asyncio.to_thread(machine.netlink.neighbours)
    for target in wanted:
        if target.home is not None and target.family == socket.AF_INET6:
            mac = neighbours.get((target.nic, target.address))
            answering[target.nic, target.address] = {mac} if mac else set()
    return ConnectivityReport(
        remote_hosts=tuple(
            RemoteHost(
                host_id=peer.host_id,
                l2_connectivity=tuple(
                    seen for target in wanted if target.host_id == peer.host_id for seen in _l2(target, answering)
                ),
                l3_connectivity=tuple(echoed[target] for target in wanted if target.host_id == peer.host_id),
                mtu_report=tuple(whole[target] for target in wanted if target.host_id == peer.host_id and target.home),
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

    async def arp(self, wanted: Iterable[Target]) -> dict[tuple[str, str], set[str]]:
        """(NIC, IPv4 address) → MACs that answered."""
        asked: dict[Home, set[str]] = {}
        for target in wanted:
            if target.home is not None and target.family == socket.AF_INET:
                asked.setdefault(target.home, set()).add(target.address)
        answers = await asyncio.gather(
            *(
                self._machine.packets.arp(home.nic, home.mac, str(home.own.ip), addresses)
                for home, addresses in asked.items()
            )
        )
        return {
            (home.nic, found): macs
            for home, answer in zip(asked, answers, strict=True)
            for found, macs in answer.items()
        }

    async def echo(self, wanted: Sequence[Target]) -> dict[Target, L3Connectivity]:
        async with AsyncExitStack() as stack:
            sockets = await self._sockets(wanted, stack, whole=False)
            reports = [self._in_turn(_echo(sockets[target.nic, target.family], target)) for target in wanted]
            return dict(zip(wanted, await asyncio.gather(*reports), strict=True))

    async def whole(self, wanted: Sequence[Target]) -> dict[Target, MtuReport]:
        """Packets as large as the NIC's MTU, to neighbours: beyond a router the path's MTU is nobody's fault here."""
        near = [target for target in wanted if target.home]
        async with AsyncExitStack() as stack:
            sockets = await self._sockets(near, stack, whole=True)
            reports = [self._in_turn(_whole(sockets[target.nic, target.family], target)) for target in near]
            return dict(zip(near, await asyncio.gather(*reports), strict=True))

    async def tcp(self, peers: Sequence[Peer]) -> dict[str, tuple[TcpReport, ...]]:
        """By host id."""
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
        self, wanted: Iterable[Target], stack: AsyncExitStack, *, whole: bool
    ) -> dict[tuple[str, int], EchoSocket]:
        """One for each NIC and family."""
        found = {}
        for nic, family in {(target.nic, target.family) for target in wanted}:
            opened = self._machine.packets.echoes(nic, family, whole=whole)
            found[nic, family] = await stack.enter_async_context(opened)
        return found

    async def _in_turn(self, work: Awaitable[Result]) -> Result:
        async with self._slots:
            return await work


async def _echo(echoes: EchoSocket, target: Target) -> L3Connectivity:
    heard = await echoes.echo(target.address, count=ECHOES, interval=INTERVAL, patience=PATIENCE)
    return L3Connectivity(
        outgoing_nic=target.nic,
        remote_ip_address=target.address,
        successful=bool(heard.rtts),
        average_rtt_ms=round(1000 * sum(heard.rtts) / len(heard.rtts), 3) if heard.rtts else 0.0,
        packet_loss_percentage=round(100 * (1 - len(heard.rtts) / heard.sent), 1),
    )


async def _whole(echoes: EchoSocket, target: Target) -> MtuReport:
    assert target.home is not None
    header = IPV6_HEADER if target.family == socket.AF_INET6 else IPV4_HEADER
    heard = await echoes.echo(
        target.address, count=WHOLE_ECHOES, interval=INTERVAL, patience=PATIENCE, size=target.home.mtu - header
    )
    return MtuReport(outgoing_nic=target.nic, remote_ip_address=target.address, mtu_successful=bool(heard.rtts))
