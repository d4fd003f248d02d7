"""Which addresses of a network are free, by ARP or neighbour discovery: this needs a NIC in that network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import IPv4Network, ip_address

from agent.api.checks import FreeAddresses, VipCheck
from agent.checks.nics import Home, homes, towards
from agent.machine import Machine

MOST_ADDRESSES = 8000


async def free_addresses(machine: Machine, networks: Sequence[str]) -> tuple[FreeAddresses, ...]:
    """For each of `networks` (CIDRs) that a NIC of this host is in; at most 8000 addresses each."""
    own = await asyncio.to_thread(homes, machine)
    return tuple([await _of(machine, IPv4Network(network), own) for network in networks])


async def _of(machine: Machine, network: IPv4Network, own: Sequence[Home]) -> FreeAddresses:
    home = next((home for home in own if home.own.ip in network), None)
    if home is None:
        return FreeAddresses(network=str(network))
    addresses = [str(address) for address, _ in zip(network.hosts(), range(MOST_ADDRESSES), strict=False)]
    ours = {str(home.own.ip) for home in own}
    taken = await machine.packets.arp(home.nic, home.mac, str(home.own.ip), addresses)
    free = tuple(address for address in addresses if address not in taken and address not in ours)
    return FreeAddresses(network=str(network), free_addresses=free)


async def verify_vips(machine: Machine, vips: Sequence[VipCheck]) -> tuple[VipCheck, ...]:
    """`vips` with their `verification`; one that is in no network of our NICs stays as it is."""
    own = await asyncio.to_thread(homes, machine)
    return tuple(await asyncio.gather(*(_verified(machine, vip, own) for vip in vips)))


async def _verified(machine: Machine, vip: VipCheck, own: Sequence[Home]) -> VipCheck:
    address = ip_address(vip.vip)
    near = next(iter(towards(vip.vip, own)), None)
    if near is None:
        return vip
    is_ours = any(home.own.ip == address for home in own)
    is_taken = is_ours or await machine.packets.answering(address.compressed, near.nic, near.mac)
    return VipCheck(vip=vip.vip, vip_type=vip.vip_type, verification="failed" if is_taken else "succeeded")
