"""Whether this host is node0: it is while it has the rendezvous address, which is watched as long as the agent runs."""

from __future__ import annotations

import asyncio
import logging
from ipaddress import ip_interface

from agent.install.resume import resume
from agent.machine import Machine
from agent.model.host_paths import NODE0_DONE_FILE
from agent.model.intent import ClusterIntent, HostIntent
from agent.model.network import IpMethod
from agent.service.time_service import follow_node0, serve_time
from agent.status import StatusBoard

log = logging.getLogger(__name__)

NODE0_TARGET = "cluster0-node0.target"
SECONDS_TO_COME_BACK = 60.0  # a cable that is pulled for a moment does not move the service
CANDIDATES_NAMED = 3


async def watch_addresses(machine: Machine, intent: ClusterIntent, board: StatusBoard) -> None:
    """Keep the status' addresses up to date; lead or follow as the rendezvous address comes and goes. Never ends."""
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
            board.update(addresses=await asyncio.to_thread(_addresses, machine))


def expected_node0(intent: ClusterIntent) -> str:
    """The host to wait for until node0 answers, with its MACs: the one with the rendezvous address in its settings,
    else those that may get it by DHCP or from a router. Pure."""
    for host in intent.hosts:
        if any(str(ip_interface(text).ip) == intent.rendezvous_ip for text in host.network.static_addresses):
            return _with_macs(host)
    candidates = [_with_macs(host) for host in intent.hosts if _may_get(host, intent.rendezvous_ip)]
    if not candidates:
        return "the host that gets this address by DHCP"
    named, others = candidates[:CANDIDATES_NAMED], len(candidates[CANDIDATES_NAMED:])
    return " or ".join([*named, f"one of {others} more"] if others else named) + ", by DHCP"


def _with_macs(host: HostIntent) -> str:
    return f"{host.hostname} ({', '.join(nic.mac for nic in host.network.nics)})"


def _may_get(host: HostIntent, address: str) -> bool:
    """Whether the host may get an address of this family by DHCP or from a router."""
    own = (nic.ipv6 if ":" in address else nic.ipv4 for nic in host.network.interfaces)
    return any(config.method in {IpMethod.AUTO, IpMethod.DHCP} for config in own)


async def _lead(machine: Machine, intent: ClusterIntent) -> None:
    if machine.files.at(NODE0_DONE_FILE).exists():
        log.info("the rendezvous address %s is here, and node0's work is done", intent.rendezvous_ip)
    else:
        log.info("the rendezvous address %s is here: this host is node0", intent.rendezvous_ip)
        await resume(machine, intent)
        await machine.processes.run(["systemctl", "start", "--no-block", NODE0_TARGET])
    await serve_time(machine, intent)


async def _follow(machine: Machine, intent: ClusterIntent) -> None:
    """Another host may have the address now and lead. So stop node0's units here, also those that an earlier run of the
    agent has started."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(follow_node0(machine, intent), name="follow node0's clock")
        await machine.clock.sleep(SECONDS_TO_COME_BACK)
        log.info("the rendezvous address %s is not here: this host is not node0", intent.rendezvous_ip)
        await machine.processes.run(["systemctl", "stop", "--no-block", NODE0_TARGET])


def _addresses(machine: Machine) -> tuple[str, ...]:
    """The addresses of this host, without prefix lengths."""
    return tuple(str(ip_interface(address.address).ip) for address in machine.netlink.addresses())
