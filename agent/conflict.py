"""Has another host the rendezvous address too? Then half of the hosts talk to one and half to the other.

NetworkManager asks before it takes an address, but two hosts may do so while the network between them is down.
"""

from __future__ import annotations

import asyncio
from ipaddress import ip_interface

from agent.api.intent import ClusterIntent
from agent.machine import Address, Machine
from agent.network.judge import address_conflict
from agent.status import StatusBoard

SECONDS_BETWEEN_LOOKS = 30.0


async def watch_conflicts(machine: Machine, intent: ClusterIntent, board: StatusBoard) -> None:
    """Keep the status' conflicts true while this host has the rendezvous address. Never ends. IPv6 needs no such
    watch: the kernel lets nobody use an address that it has seen another host with."""
    if ":" in intent.rendezvous_ip:
        return
    async for claim in machine.packets.arp_claims():
        if claim.address == intent.rendezvous_ip:
            await _look_until_over(machine, intent, board)


async def _look_until_over(machine: Machine, intent: ClusterIntent, board: StatusBoard) -> None:
    """As long as somebody else answers for our address."""
    while (address := await asyncio.to_thread(_own, machine, intent.rendezvous_ip)) is not None:
        macs = {link.name: link.mac for link in await asyncio.to_thread(machine.netlink.links)}
        own = macs[address.interface]
        answers = await machine.packets.arp(address.interface, own, "", [intent.rendezvous_ip])
        others = answers.get(intent.rendezvous_ip, set()) - set(macs.values())
        if not others:
            break
        named = frozenset(_named(mac, intent) for mac in others)
        board.update(conflicts=(address_conflict(intent.rendezvous_ip, address.interface, own, named),))
        await machine.clock.sleep(SECONDS_BETWEEN_LOOKS)
    board.update(conflicts=())


def _own(machine: Machine, address: str) -> Address | None:
    return next((own for own in machine.netlink.addresses() if str(ip_interface(own.address).ip) == address), None)


def _named(mac: str, intent: ClusterIntent) -> str:
    """With the host that lists it."""
    listed = {nic.mac: host.hostname for host in intent.hosts for nic in host.interfaces}
    return f"{mac} ({listed[mac]})" if mac in listed else mac
