"""A NIC that appears long after boot: a slow driver, or a card that is plugged in late."""

from __future__ import annotations

import asyncio
import logging

from agent.machine import Machine
from agent.machine.networkmanager import NetworkManager
from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE
from agent.model.intent import ClusterIntent
from agent.network.by_mac import match_host
from agent.network.connections import connections
from agent.network.dbus_settings import settings
from agent.network.keyfiles import DHCP_UUID
from agent.network.names import set_names
from agent.network.nics import read_nics

log = logging.getLogger(__name__)


async def configure_when_matched(
    machine: Machine, intent: ClusterIntent, manager: NetworkManager, changed: asyncio.Event
) -> None:
    """Wait until this machine's NICs match a host of `intent`, then give NetworkManager that host's connections.

    `changed` is set when NICs may have appeared. Until then `host.json` has the latest reason for the missing match.
    """
    match = await _matched(machine, intent, changed)
    log.info("%s", match.why)
    host = intent.hosts[match.index]
    set_names(machine, intent, host)
    machine.files.save(HOST_FILE, match)
    made = connections(host.network, cluster_id=intent.cluster_id, hostname=host.hostname, names=match.names)
    await manager.apply({connection.uuid: settings(connection) for connection in made})
    await manager.forget(DHCP_UUID)
    # The agent still has the old host name, and has registered as an unknown host.
    await machine.processes.run(("systemctl", "try-restart", "--no-block", "cluster0-agent.service"), check=False)


async def _matched(machine: Machine, intent: ClusterIntent, changed: asyncio.Event) -> HostMatch:
    known = machine.files.load(HOST_FILE, HostMatch)
    while True:
        match = match_host(await asyncio.to_thread(read_nics, machine), intent.hosts)
        if match.index >= 0:
            return match
        if match != known:
            machine.files.save(HOST_FILE, match)
            known = match
        await changed.wait()
        changed.clear()
