"""Whether this host is node0: it is while it has the rendezvous address, which is watched as long as the agent runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from ipaddress import ip_interface, ip_network

from agent.install.resume import resume
from agent.machine import Address, Machine
from agent.model.host_documents import HostMatch, Installed
from agent.model.host_paths import HOST_FILE, NODE0_DONE_FILE
from agent.model.intent import ClusterIntent, HostIntent
from agent.model.network import IpMethod
from agent.model.states import InstallRole
from agent.service.time_service import follow_node0, serve_time
from agent.status import StatusBoard

log = logging.getLogger(__name__)

NODE0_TARGET = "cluster0-node0.target"
SECONDS_TO_COME_BACK = 60.0  # a cable that is pulled for a moment does not move the service
CANDIDATES_NAMED = 3


async def watch_addresses(machine: Machine, intent: ClusterIntent, board: StatusBoard, *, leads: bool) -> None:
    """Keep the status' addresses up to date; lead or follow as the rendezvous address comes and goes. Never ends.

    `leads`: the rendezvous address is to come to this host. node0's units then start at once, because their programs
    take as long to start as the network. Until the address is here, the driver does nothing.
    """
    if leads:
        await _start_node0(machine, intent)
    duty: asyncio.Task[None] | None = None
    async with asyncio.TaskGroup() as tasks:
        async for _ in machine.netlink.address_changes():
            before, is_node0 = board.status.is_node0, machine.kernel.has_address(intent.rendezvous_ip)
            board.update(is_node0=is_node0)
            if duty is None or before != is_node0:
                if duty is not None:
                    duty.cancel()
                work = _lead(machine, intent) if is_node0 else _follow(machine, intent)
                duty = tasks.create_task(work, name="lead" if is_node0 else "follow")
            board.update(addresses=of_machine(await asyncio.to_thread(machine.netlink.addresses), intent))


def is_to_lead(machine: Machine, intent: ClusterIntent, installed: Installed | None) -> bool:
    """Whether the rendezvous address is in the settings of this host, or this host was installed as node0."""
    if installed is not None:
        return installed.role is InstallRole.BOOTSTRAP
    match = machine.files.load(HOST_FILE, HostMatch)
    return match is not None and match.index >= 0 and _has_in_settings(intent.hosts[match.index], intent.rendezvous_ip)


def expected_node0(intent: ClusterIntent) -> str:
    """The host to wait for until node0 answers, with its MACs: the one with the rendezvous address in its settings,
    else those that may get it by DHCP or from a router. Pure."""
    for host in intent.hosts:
        if _has_in_settings(host, intent.rendezvous_ip):
            return _with_macs(host)
    candidates = [_with_macs(host) for host in intent.hosts if _may_get(host, intent.rendezvous_ip)]
    if not candidates:
        return "the host that gets this address by DHCP"
    named, others = candidates[:CANDIDATES_NAMED], len(candidates[CANDIDATES_NAMED:])
    return " or ".join([*named, f"one of {others} more"] if others else named) + ", by DHCP"


def _with_macs(host: HostIntent) -> str:
    return f"{host.hostname} ({', '.join(nic.mac for nic in host.network.nics)})"


def _has_in_settings(host: HostIntent, address: str) -> bool:
    return any(str(ip_interface(text).ip) == address for text in host.network.static_addresses)


def _may_get(host: HostIntent, address: str) -> bool:
    """Whether the host may get an address of this family by DHCP or from a router."""
    own = (nic.ipv6 if ":" in address else nic.ipv4 for nic in host.network.interfaces)
    return any(config.method in {IpMethod.AUTO, IpMethod.DHCP} for config in own)


async def _lead(machine: Machine, intent: ClusterIntent) -> None:
    log.info("the rendezvous address %s is here: this host is node0", intent.rendezvous_ip)
    await _start_node0(machine, intent)
    await serve_time(machine, intent)


async def _start_node0(machine: Machine, intent: ClusterIntent) -> None:
    if machine.files.at(NODE0_DONE_FILE).exists():
        log.info("node0's work is done")
        return
    await resume(machine, intent)
    await machine.processes.run(["systemctl", "start", "--no-block", NODE0_TARGET])


async def _follow(machine: Machine, intent: ClusterIntent) -> None:
    """Another host may have the address now and lead. So stop node0's units here, also those that an earlier run of the
    agent has started."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow_node0(machine, intent), name="follow node0's clock")
        await machine.clock.sleep(SECONDS_TO_COME_BACK)
        log.info("the rendezvous address %s is not here: this host is not node0", intent.rendezvous_ip)
        await machine.processes.run(["systemctl", "stop", "--no-block", NODE0_TARGET])


def of_machine(addresses: Iterable[Address], intent: ClusterIntent) -> tuple[str, ...]:
    """The machine's own, without prefix lengths: those of its pods' bridge and of services are the cluster's. Pure."""
    networks = [
        ip_network(cidr) for cidr in (*(pods.cidr for pods in intent.cluster_networks), *intent.service_networks)
    ]
    found = (ip_interface(address.address).ip for address in addresses)
    return tuple(str(ip) for ip in found if not any(ip in network for network in networks))
