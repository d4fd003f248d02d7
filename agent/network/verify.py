"""Waits after NetworkManager's start until every requested connection is up with its addresses; reports failures.

NetworkManager may report a device as up a second before the kernel has its addresses, so both are checked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from ipaddress import ip_interface

from agent.machine import Machine
from agent.machine.networkmanager import NetworkManager
from agent.model.host_documents import HostMatch, NetworkReport
from agent.model.host_paths import HOST_FILE, INTENT_FILE, NETWORK_FILE
from agent.model.intent import ClusterIntent
from agent.network.connections import connection_uuid
from agent.network.evaluate import Expected, Found, evaluate, missing_addresses
from agent.network.late import configure_when_matched

log = logging.getLogger(__name__)

SECONDS_AFTER_CHANGE = 5.0  # before the new state is reported


async def verify(machine: Machine, *, timeout: float, stay: bool = False) -> NetworkReport:
    """Wait up to `timeout` seconds for the network of this host, then write its report to `NETWORK_FILE` and return it.

    `stay`: while connections or addresses are missing, keep waiting, and write the report whenever it changes. A
    machine that matches no host of the inputs waits for late NICs, and is configured as soon as it matches one.
    """
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    async with NetworkManager() as manager, _changes(machine, manager) as changed:
        watch = _Watch(machine, manager, _expected(machine, intent), changed)
        report = await watch.wait_until_up(timeout)
        machine.files.save(NETWORK_FILE, report)
        if stay and intent is not None and intent.hosts and _match(machine) is None:
            await configure_when_matched(machine, intent, manager, changed)
            watch = _Watch(machine, manager, _expected(machine, intent), changed)
            report = await watch.wait_until_up(timeout)
            machine.files.save(NETWORK_FILE, report)
        while report.problems and stay:
            log.warning("%s", "\n".join(problem.title for problem in report.problems))
            report = await watch.next_report(report)
            machine.files.save(NETWORK_FILE, report)
    return report


class _Watch:
    """Reads the state of the network, again whenever `changed` is set."""

    def __init__(
        self, machine: Machine, manager: NetworkManager, expected: Sequence[Expected], changed: asyncio.Event
    ) -> None:
        self._machine = machine
        self._manager = manager
        self._expected = expected
        self._changed = changed

    async def wait_until_up(self, timeout: float) -> NetworkReport:
        """The first report without problems, or after `timeout` seconds a report with the causes of its problems."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while (report := evaluate(self._expected, await self._read_state())).problems:
                    await self._changed.wait()
                    self._changed.clear()
                return report
        return evaluate(self._expected, await self._read_state_with_causes())

    async def next_report(self, last: NetworkReport) -> NetworkReport:
        """Wait for a report that differs from `last`."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            report = await self.wait_until_up(SECONDS_AFTER_CHANGE)
            if report != last:
                return report

    async def _read_state(self) -> Found:
        return Found(await self._manager.devices(), await asyncio.to_thread(self._machine.netlink.addresses))

    async def _read_state_with_causes(self) -> Found:
        """The state, and causes of missing addresses: NICs without carrier, profiles, address conflicts."""
        found = await self._read_state()
        links = await asyncio.to_thread(self._machine.netlink.links)
        macs = {link.name: link.mac for link in links}
        missing = [(each, address) for each in self._expected for address in missing_addresses(each, found.addresses)]
        return replace(
            found,
            without_carrier=frozenset(link.name for link in links if not _has_carrier(self._machine, link.name)),
            profiles=await self._manager.profiles(),
            taken={
                address: frozenset(
                    await self._machine.packets.others_with(
                        str(ip_interface(address).ip), each.interface, macs[each.interface]
                    )
                )
                for each, address in missing
                if each.interface in macs
            },
            macs=macs,
        )


@asynccontextmanager
async def _changes(machine: Machine, manager: NetworkManager) -> AsyncIterator[asyncio.Event]:
    """An event that is set whenever a device, connection or address changes, until the block ends."""
    changed = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        sources = (manager.changes(), machine.netlink.address_changes())
        listeners = [tasks.create_task(_set_at_each(source, changed), name="watch the network") for source in sources]
        yield changed
        for listener in listeners:
            listener.cancel()


async def _set_at_each(source: AsyncIterator[None], changed: asyncio.Event) -> None:
    async for _ in source:
        changed.set()


def _expected(machine: Machine, intent: ClusterIntent | None) -> tuple[Expected, ...]:
    """The connections of the host that this machine matches. Empty without a match: every NIC then uses DHCP."""
    match = _match(machine)
    if intent is None or match is None:
        return ()
    host = intent.hosts[match.index]
    return tuple(
        Expected(
            name=interface.name,
            interface=match.names.get(interface.name, interface.name),
            uuid=connection_uuid(intent.cluster_id, host.hostname, interface.name),
            addresses=interface.static_addresses,
        )
        for interface in host.network.interfaces
    )


def _match(machine: Machine) -> HostMatch | None:
    """None where this machine matches no host of the inputs."""
    match = machine.files.load(HOST_FILE, HostMatch)
    return match if match is not None and match.index >= 0 else None


def _has_carrier(machine: Machine, interface: str) -> bool:
    return machine.files.attribute(f"/sys/class/net/{interface}/carrier", "0") == "1"
