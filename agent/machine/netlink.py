"""Links, addresses and routes as the kernel has them, and a notice of every change of an address.

Reads go by `agent.machine.iproute`, and block: inside an event loop they belong in a thread. Events come from a bare
netlink socket: their content does not matter.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass

from agent.machine import iproute

RTMGRP_LINK = 0x1
RTMGRP_IPV4_IFADDR = 0x10
RTMGRP_IPV6_IFADDR = 0x100
FAMILIES = {"-4": socket.AF_INET, "-6": socket.AF_INET6}


@dataclass(frozen=True)
class Link:
    """`mac`: the address in use. `permanent_mac`: the hardware's own, a bond port's too, where it differs.
    `kind`: the driver's name for a virtual link (bond, vlan, bridge, veth …), empty for a NIC. `flags`: as ip(8) spells
    the kernel's: UP, RUNNING, BROADCAST, LOOPBACK …"""

    name: str
    mac: str
    permanent_mac: str
    mtu: int
    kind: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Address:
    """`address` is "address/prefix-length". Only usable ones of global scope, loopback's left out."""

    interface: str
    address: str


@dataclass(frozen=True)
class KernelRoute:
    """A unicast route of the main table. `destination`: empty for the default route; `family`: 2 or 10."""

    interface: str
    destination: str
    gateway: str
    family: int
    metric: int


class Netlink:
    """Reads block for some milliseconds, in the network namespace of the calling thread. Raise `ProcessFailed`."""

    def links(self) -> tuple[Link, ...]:
        return tuple(_link(entry) for entry in iproute.links())

    def addresses(self) -> tuple[Address, ...]:
        return tuple(
            Address(entry.ifname, f"{info.local}/{info.prefixlen}")
            for entry in iproute.links()
            if entry.ifname != "lo"
            for info in entry.addr_info
            if info.scope == "global" and not (info.tentative or info.dadfailed)
        )

    def routes(self) -> tuple[KernelRoute, ...]:
        return tuple(
            KernelRoute(
                interface=entry.dev,
                destination="" if entry.dst == "default" else entry.dst.partition("/")[0],
                gateway=entry.gateway,
                family=family,
                metric=entry.metric,
            )
            for option, family in FAMILIES.items()
            for entry in iproute.read([option, "route", "show"], tuple[iproute.RouteEntry, ...])
            if entry.type == iproute.UNICAST and entry.dev
        )

    def neighbours(self) -> dict[tuple[str, str], str]:
        """(Interface, IP address) → MAC, of those that the kernel has resolved recently."""
        entries = iproute.read(["neighbour", "show"], tuple[iproute.NeighbourEntry, ...])
        return {(entry.dev, entry.dst): entry.lladdr for entry in entries if entry.lladdr}

    def link_changes(self, seconds: float) -> Iterator[None]:
        """One item at once, then one after each burst of links that came or went; ends after `seconds`."""
        deadline = time.monotonic() + seconds
        with _events(RTMGRP_LINK) as events:
            yield
            while select.select([events], [], [], max(0.0, deadline - time.monotonic()))[0]:
                _drain(events)
                yield

    async def address_changes(self) -> AsyncGenerator[None, None]:
        """One item at once, then one after each burst of addresses that came or went, without end."""
        import asyncio

        loop = asyncio.get_running_loop()
        with _events(RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR) as events:
            while True:
                yield
                with contextlib.suppress(OSError):
                    # ENOBUFS: too many at once, so the kernel dropped some. Read again all the same.
                    await loop.sock_recv(events, 65536)
                _drain(events)


def _events(groups: int) -> socket.socket:
    events = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
    events.bind((0, groups))
    return events


def _drain(events: socket.socket) -> None:
    """Read what is there; the content does not matter."""
    with contextlib.suppress(OSError):
        while events.recv(65536):
            pass


def _link(entry: iproute.LinkEntry) -> Link:
    # A port that was given its bond's MAC keeps its own one here, where the driver does not report a permanent one.
    port_mac = entry.linkinfo.info_slave_data.perm_hwaddr
    return Link(
        name=entry.ifname,
        mac=entry.address,
        permanent_mac=entry.permaddr or port_mac,
        mtu=entry.mtu,
        kind=entry.linkinfo.info_kind,
        flags=(*entry.flags, "RUNNING") if entry.is_running else entry.flags,
    )
