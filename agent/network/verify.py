"""After NetworkManager started: wait until every requested connection is up with its addresses, and report what is not.

A device that is up in NetworkManager is not enough: the kernel must have the addresses, which may come a second later.
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
from agent.network.late import become_a_host

log = logging.getLogger(__name__)

SECONDS_AFTER_CHANGE = 5.0  # before the new state is reported


async def verify(machine: Machine, *, timeout: float, stay: bool = False) -> NetworkReport:
    """Wait up to `timeout` seconds for the network of this host, then write and return what there is.

    `stay`: where something is missing then, wait on until it is there, and write the report whenever it changes. A
    machine that is no host of the inputs yet becomes one when its NICs have come.
    """
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    async with NetworkManager() as manager, _changes(machine, manager) as changed:
        watch = _Watch(machine, manager, _expected(machine, intent), changed)
        report = await watch.wait_until_up(timeout)
        machine.files.save(NETWORK_FILE, report)
        if stay and intent is not None and intent.hosts and _match(machine) is None:
            await become_a_host(machine, intent, manager, changed)
            watch = _Watch(machine, manager, _expected(machine, intent), changed)
            report = await watch.wait_until_up(timeout)
            machine.files.save(NETWORK_FILE, report)
        while report.problems and stay:
            log.warning("%s", "\n".join(problem.title for problem in report.problems))
            report = await watch.another_than(report)
            machine.files.save(NETWORK_FILE, report)
    return report


class _Watch:
    """Looks at the network, and again whenever it `changed`."""

    def __init__(
        self, machine: Machine, manager: NetworkManager, expected: Sequence[Expected], changed: asyncio.Event
    ) -> None:
        self._machine = machine
        self._manager = manager
        self._expected = expected
        self._changed = changed

    async def wait_until_up(self, timeout: float) -> NetworkReport:
        """The first report without a problem, or after `timeout` seconds one with the reasons of its problems."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while (report := evaluate(self._expected, await self._look())).problems:
                    await self._changed.wait()
                    self._changed.clear()
                return report
        return evaluate(self._expected, await self._explain())

    async def another_than(self, report: NetworkReport) -> NetworkReport:
        while True:
            await self._changed.wait()
            self._changed.clear()
            newer = await self.wait_until_up(SECONDS_AFTER_CHANGE)
            if newer != report:
                return newer

    async def _look(self) -> Found:
        return Found(await self._manager.devices(), await asyncio.to_thread(self._machine.netlink.addresses))

    async def _explain(self) -> Found:
        """The network, and reasons for what is missing: carriers, profiles, other hosts with our addresses."""
        found = await self._look()
        links = await asyncio.to_thread(self._machine.netlink.links)
        macs = {link.name: link.mac for link in links}
        missing = [(want, address) for want in self._expected for address in missing_addresses(want, found.addresses)]
        return replace(
            found,
            without_carrier=frozenset(link.name for link in links if not _has_carrier(self._machine, link.name)),
            profiles=await self._manager.profiles(),
            taken={
                address: frozenset(
                    await self._machine.packets.others_with(
                        str(ip_interface(address).ip), want.interface, macs[want.interface]
                    )
                )
                for want, address in missing
                if want.interface in macs
            },
            macs=macs,
        )


@asynccontextmanager
async def _changes(machine: Machine, manager: NetworkManager) -> AsyncIterator[asyncio.Event]:
    """Set at every change, until the block ends."""
    changed = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        sources = (manager.changes(), machine.netlink.address_changes())
        listeners = [tasks.create_task(_announce(source, changed), name="watch the network") for source in sources]
        yield changed
        for listener in listeners:
            listener.cancel()


async def _announce(source: AsyncIterator[None], changed: asyncio.Event) -> None:
    async for _ in source:
        changed.set()


def _expected(machine: Machine, intent: ClusterIntent | None) -> tuple[Expected, ...]:
    """Nothing where no host matched: then every NIC has DHCP, and any address is right."""
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
    """None where this machine is no host of the inputs."""
    match = machine.files.load(HOST_FILE, HostMatch)
    return match if match is not None and match.index >= 0 else None


def _has_carrier(machine: Machine, interface: str) -> bool:
    return machine.files.attribute(f"/sys/class/net/{interface}/carrier", "0") == "1"
