"""The network of this machine, as the kernel and NetworkManager have it."""

from __future__ import annotations

import asyncio

import msgspec

from agent.machine import Address, KernelRoute, Link, Machine
from agent.machine.networkmanager import Device, NetworkManager
from agent.model.problems import Problem


class NetworkState(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel's links, usable addresses and unicast routes, and NetworkManager's devices.

    `devices`: None where NetworkManager did not answer.
    """

    links: tuple[Link, ...] = ()
    addresses: tuple[Address, ...] = ()
    routes: tuple[KernelRoute, ...] = ()
    devices: tuple[Device, ...] | None = None


async def network_state(machine: Machine) -> NetworkState:
    return NetworkState(
        links=await asyncio.to_thread(machine.netlink.links),
        addresses=await asyncio.to_thread(machine.netlink.addresses),
        routes=await asyncio.to_thread(machine.netlink.routes),
        devices=await _devices(),
    )


async def _devices() -> tuple[Device, ...] | None:
    try:
        async with NetworkManager() as manager:
            return await manager.devices()
    except Problem:
        return None
