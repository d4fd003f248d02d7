"""The main routing table."""

from __future__ import annotations

import socket

from agent.machine import KernelRoute, Machine
from agent.model.inventory import InventoryRoute


def collect(machine: Machine) -> tuple[InventoryRoute, ...]:
    return tuple(parse(route) for route in machine.netlink.routes())


def parse(route: KernelRoute) -> InventoryRoute:
    everywhere = "::" if route.family == socket.AF_INET6 else "0.0.0.0"
    return InventoryRoute(
        interface=route.interface,
        gateway=route.gateway,
        destination=route.destination or everywhere,
        family=route.family,
        metric=route.metric,
    )
