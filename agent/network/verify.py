"""After NetworkManager started: did every connection that was asked for come up, with its addresses?

NetworkManager's word that a device is up is not enough: the addresses are looked for in the kernel, where they may come
a second later.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_interface

from agent.api.intent import ClusterIntent, HostIntent
from agent.api.local import HOST_FILE, INTENT_FILE, NETWORK_FILE, DeviceReport, HostMatch, NetworkReport
from agent.api.problems import ProblemReport
from agent.machine import Address, Machine
from agent.machine.networkmanager import Device, NetworkManager
from agent.network.connections import connection_uuid
from agent.network.device_words import reason_word, state_word


@dataclass(frozen=True)
class Expected:
    """One connection: the user's `name` for the interface, the real one, and its static addresses."""

    name: str
    interface: str
    uuid: str
    addresses: tuple[str, ...]


async def verify(machine: Machine, *, patience: float) -> NetworkReport:
    """Wait up to `patience` seconds for the network of this host, then write and return what there is."""
    expected = _expected(machine)
    async with NetworkManager() as manager:
        report = await _wait_until_up(machine, manager, expected, patience)
    machine.files.save(NETWORK_FILE, report)
    return report


def judge(expected: Sequence[Expected], devices: Sequence[Device], addresses: Sequence[Address]) -> NetworkReport:
    """A problem for each connection that is not up, and for each address the kernel does not have. Pure."""
    active = {device.active_uuid for device in devices}
    inactive = [_inactive(want, devices) for want in expected if want.uuid not in active]
    missing = [_missing(want, addresses) for want in expected if want.uuid in active]
    return NetworkReport(
        devices=tuple(_describe(device, addresses) for device in devices),
        problems=tuple(problem for problem in (*inactive, *missing) if problem),
    )


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
            addresses=(*interface.ipv4.addresses, *interface.ipv6.addresses),
        )
        for interface in host.network.interfaces
    ]


async def _wait_until_up(
    machine: Machine, manager: NetworkManager, expected: Sequence[Expected], patience: float
) -> NetworkReport:
    """The first report without a problem, or the one there is when patience ends. Looks again at every change."""

    async def look() -> NetworkReport:
        return judge(expected, await manager.devices(), await asyncio.to_thread(machine.netlink.addresses))

    again = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        sources = (manager.changes(), machine.netlink.address_changes())
        watches = [tasks.create_task(_announce(source, again), name="watch the network") for source in sources]
        report = await _without_problems(look, again, patience)
        for watch in watches:
            watch.cancel()
    return report


async def _without_problems(
    look: Callable[[], Awaitable[NetworkReport]], again: asyncio.Event, patience: float
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


def _describe(device: Device, addresses: Sequence[Address]) -> DeviceReport:
    return DeviceReport(
        interface=device.interface,
        state=state_word(device.state),
        reason=reason_word(device.reason),
        addresses=tuple(address.address for address in addresses if address.interface == device.interface),
    )


def _inactive(want: Expected, devices: Sequence[Device]) -> ProblemReport:
    device = next((device for device in devices if device.interface == want.interface), None)
    state = "NetworkManager does not know it" if device is None else state_word(device.state)
    reason = "" if device is None else reason_word(device.reason)
    return ProblemReport(
        code="interface-not-up",
        title=f"Interface {want.name} ({want.interface}) is not up: {state}{', ' if reason else ''}{reason}",
        remedy="Is the cable plugged in, and the address free? nmcli device; journalctl -u NetworkManager",
    )


def _missing(want: Expected, addresses: Sequence[Address]) -> ProblemReport | None:
    here = {ip_interface(address.address) for address in addresses if address.interface == want.interface}
    missing = [address for address in want.addresses if ip_interface(address) not in here]
    if not missing:
        return None
    return ProblemReport(
        code="address-missing",
        title=f"Interface {want.name} ({want.interface}) is up without its address {', '.join(missing)}",
        remedy="ip address; journalctl -u NetworkManager",
    )
