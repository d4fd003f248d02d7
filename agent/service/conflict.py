"""Detects another host with the rendezvous address: some hosts would talk to the one, some to the other.

NetworkManager probes an address before it takes it. Two hosts may still take the same one while the network between
them is down, and nothing shows it later.
"""

from __future__ import annotations

import asyncio
import logging
from ipaddress import ip_interface

from agent.machine import Machine
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem, ProblemReport
from agent.network.evaluate import address_conflict
from agent.status import StatusBoard

log = logging.getLogger(__name__)

SECONDS_BETWEEN_PROBES = 15.0


async def watch_conflicts(machine: Machine, intent: ClusterIntent, board: StatusBoard) -> None:
    """Keep the conflicts in the status up to date while this host has the rendezvous address. Never ends."""
    while True:
        has_address = machine.kernel.has_address(intent.rendezvous_ip)
        try:
            board.update(conflicts=await _probe(machine, intent) if has_address else ())
        except Problem as problem:
            # As when the medium is gone, which the steps of node0 report: what is known of conflicts stays.
            log.warning("the rendezvous address cannot be probed: %s", problem)
        await machine.clock.sleep(SECONDS_BETWEEN_PROBES)


async def _probe(machine: Machine, intent: ClusterIntent) -> tuple[ProblemReport, ...]:
    """A problem when another machine answers for our address."""
    macs = {link.name: link.mac for link in await asyncio.to_thread(machine.netlink.links)}
    for own in await asyncio.to_thread(machine.netlink.addresses):
        if str(ip_interface(own.address).ip) != intent.rendezvous_ip or own.interface not in macs:
            continue
        mac = macs[own.interface]
        others = await machine.packets.others_with(intent.rendezvous_ip, own.interface, mac) - set(macs.values())
        if others:
            named = frozenset(_named(other, intent) for other in others)
            return (address_conflict(intent.rendezvous_ip, own.interface, mac, named),)
    return ()


def _named(mac: str, intent: ClusterIntent) -> str:
    """The MAC, with the host of the inputs that lists it."""
    listed = {nic.mac: host.hostname for host in intent.hosts for nic in host.interfaces}
    return f"{mac} ({listed[mac]})" if mac in listed else mac
