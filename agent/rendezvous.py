"""Is this host node0? It is while the rendezvous address is on it, which is watched for as long as the agent lives."""

from __future__ import annotations

import asyncio
import logging
from ipaddress import ip_interface

from agent.machine import Machine
from agent.status import StatusBoard

log = logging.getLogger(__name__)

NODE0_TARGET = "cluster0-node0.target"
NODE0_DONE_FILE = "/var/lib/cluster0/node0.done"


async def watch_addresses(machine: Machine, rendezvous_ip: str, board: StatusBoard) -> None:
    """Keep the status' addresses true, and start node0's units whenever the rendezvous address appears. Never ends."""
    async for _ in machine.netlink.address_changes():
        is_node0 = machine.kernel.has_address(rendezvous_ip)
        appeared = is_node0 and not board.status.is_node0
        board.update(is_node0=is_node0)
        if appeared:  # before anything slow: everybody waits for node0
            await _lead(machine, rendezvous_ip)
        board.update(addresses=await asyncio.to_thread(_addresses, machine))


async def _lead(machine: Machine, rendezvous_ip: str) -> None:
    if machine.files.at(NODE0_DONE_FILE).exists():
        log.info("the rendezvous address %s is here, and node0's work is done", rendezvous_ip)
        return
    log.info("the rendezvous address %s is here: this host is node0", rendezvous_ip)
    await machine.processes.run(["systemctl", "start", "--no-block", NODE0_TARGET])


def _addresses(machine: Machine) -> tuple[str, ...]:
    """Without prefix lengths."""
    return tuple(str(ip_interface(address.address).ip) for address in machine.netlink.addresses())
