"""After NetworkManager started: did every connection that was asked for come up, with its addresses?

NetworkManager's word that a device is up is not enough: the addresses are looked for in the kernel, where they may come
a second later.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from ipaddress import ip_interface

from agent.api.intent import ClusterIntent, HostIntent
from agent.api.local import HOST_FILE, INTENT_FILE, NETWORK_FILE, HostMatch, NetworkReport
from agent.machine import Machine
from agent.machine.networkmanager import NetworkManager
from agent.network.connections import connection_uuid
from agent.network.judge import Expected, Found, judge, missing_addresses

log = logging.getLogger(__name__)


async def verify(machine: Machine, *, patience: float, stay: bool = False) -> NetworkReport:
    """Wait up to `patience` seconds for the network of this host, then write and return what there is.

    `stay`: where something is missing then, that is written, and the wait goes on until it is there.
    """
    expected = _expected(machine)
    async with NetworkManager() as manager:
        report = await _wait_until_up(machine, manager, expected, patience)
        if report.problems:
            report = judge(expected, await _explain(machine, manager, expected))
        machine.files.save(NETWORK_FILE, report)
        if report.problems and stay:
            log.warning("%s", "\n".join(problem.title for problem in report.problems))
            report = await _wait_until_up(machine, manager, expected, None)
            machine.files.save(NETWORK_FILE, report)
    return report


def _expected(machine: Machine) -> tuple[Expected, ...]:
    """Nothing where no host matched: then every NIC asks by DHCP, and what comes is welcome."""
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    match = machine.files.load(HOST_FILE, HostMatch)
    if intent is None or match is None or match.index < 0:
        return ()
    return tuple(_connections(intent, intent.hosts[match.index], match))


def _connections(intent: ClusterIntent, host: HostIntent, match: HostMatch) -> list[Expected]:
    return [
        Expected(
            name=interface.name,
            interface=match.names.get(interface.name, interface.name),
            uuid=connection_uuid(intent.cluster_id, host.hostname, interface.name),
            addresses=interface.static_addresses,
        )
        for interface in host.network.interfaces
    ]


async def _wait_until_up(
    machine: Machine, manager: NetworkManager, expected: Sequence[Expected], patience: float | None
) -> NetworkReport:
    """The first report without a problem, or the one there is when patience ends. Looks again at every change."""

    async def look() -> NetworkReport:
        return judge(expected, await _look(machine, manager))

    again = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        sources = (manager.changes(), machine.netlink.address_changes())
        watches = [tasks.create_task(_announce(source, again), name="watch the network") for source in sources]
        report = await _without_problems(look, again, patience)
        for watch in watches:
            watch.cancel()
    return report


async def _look(machine: Machine, manager: NetworkManager) -> Found:
    return Found(await manager.devices(), await asyncio.to_thread(machine.netlink.addresses))


async def _explain(machine: Machine, manager: NetworkManager, expected: Sequence[Expected]) -> Found:
    """What there is, and why more is not there: carriers, profiles, and other hosts with our addresses."""
    found = await _look(machine, manager)
    links = await asyncio.to_thread(machine.netlink.links)
    macs = {link.name: link.mac for link in links}
    missing = [(want, address) for want in expected for address in missing_addresses(want, found.addresses)]
    return replace(
        found,
        without_carrier=frozenset(link.name for link in links if not _has_carrier(machine, link.name)),
        profiles=await manager.profiles(),
        taken={
            address: frozenset(
                await machine.packets.others_with(str(ip_interface(address).ip), want.interface, macs[want.interface])
            )
            for want, address in missing
            if want.interface in macs
        },
        macs=macs,
    )


def _has_carrier(machine: Machine, interface: str) -> bool:
    return machine.files.attribute(f"/sys/class/net/{interface}/carrier", "0") == "1"


async def _without_problems(
    look: Callable[[], Awaitable[NetworkReport]], again: asyncio.Event, patience: float | None
) -> NetworkReport:
    report = await look()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while report.problems:
                await again.wait()
                again.clear()
                report = await look()
    return report


async def _announce(source: AsyncIterator[None], again: asyncio.Event) -> None:
    async for _ in source:
        again.set()
