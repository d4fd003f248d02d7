"""Links, addresses and routes as the kernel has them (pyroute2), and a notice of every change of an address.

pyroute2 is imported by the first read: it costs 0.1 s and 20 MB. From 0.9 on its sockets bring an event loop of
their own, so inside ours the reads belong in a thread. Events come from a bare socket: their content does not matter.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

RTMGRP_LINK = 0x1
RTMGRP_IPV4_IFADDR = 0x10
RTMGRP_IPV6_IFADDR = 0x100
IFA_F_UNUSABLE = 0x08 | 0x40  # duplicate address detection failed, or has not ended
SCOPE_UNIVERSE = 0
ROUTE_TYPE_UNICAST = 1
TABLE_MAIN = 254


@dataclass(frozen=True)
class Link:
    """`mac`: the address in use. `permanent_mac`: the hardware's own, a bond port's too; empty for virtual links.
    `kind`: the driver's name for a virtual link (bond, vlan, bridge, veth …), empty for a NIC."""

    name: str
    mac: str
    permanent_mac: str
    mtu: int
    kind: str
    flags: int


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
    """Reads block for some milliseconds; each opens a socket in the network namespace of its caller."""

    def links(self) -> tuple[Link, ...]:
        with _socket() as netlink:
            return tuple(_link(message) for message in netlink.get_links())

    def addresses(self) -> tuple[Address, ...]:
        with _socket() as netlink:
            names = _names(netlink)
            return tuple(
                Address(names[message["index"]], f"{message.get_attr('IFA_ADDRESS')}/{message['prefixlen']}")
                for message in netlink.get_addr()
                if _is_usable(message) and names.get(message["index"], "lo") != "lo"
            )

    def routes(self) -> tuple[KernelRoute, ...]:
        with _socket() as netlink:
            names = _names(netlink)
            return tuple(
                _route(message, names)
                for message in netlink.get_routes(table=TABLE_MAIN)
                if message["type"] == ROUTE_TYPE_UNICAST and message.get_attr("RTA_OIF") in names
            )

    def neighbours(self) -> dict[tuple[str, str], str]:
        """(Interface, IP address) → MAC, of those that the kernel has resolved recently."""
        with _socket() as netlink:
            names = _names(netlink)
            return {
                (names[message["ifindex"]], message.get_attr("NDA_DST")): message.get_attr("NDA_LLADDR")
                for message in netlink.get_neighbours()
                if message["ifindex"] in names and message.get_attr("NDA_LLADDR")
            }

    def link_changes(self, seconds: float) -> Iterator[None]:
        """One item at once, then one after each burst of links that came or went; ends after `seconds`."""
        deadline = time.monotonic() + seconds
        with _events(RTMGRP_LINK) as events:
            yield
            while select.select([events], [], [], max(0.0, deadline - time.monotonic()))[0]:
                _drain(events)
                yield

    async def address_changes(self) -> AsyncIterator[None]:
        """One item at once, then one after each burst of addresses that came or went, without end."""
        import asyncio

        loop = asyncio.get_running_loop()
        with _events(RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR) as events:
            while True:
                yield
                with contextlib.suppress(
                    OSError
                ):  # too many at once, so the kernel dropped some: read again all the same
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


def _socket() -> Any:
    from pyroute2 import IPRoute

    return IPRoute()


def _names(netlink: Any) -> dict[int, str]:
    return {message["index"]: message.get_attr("IFLA_IFNAME") for message in netlink.get_links()}


def _link(message: Any) -> Link:
    info = message.get_attr("IFLA_LINKINFO")
    return Link(
        name=message.get_attr("IFLA_IFNAME"),
        mac=message.get_attr("IFLA_ADDRESS") or "",
        permanent_mac=message.get_attr("IFLA_PERM_ADDRESS") or _bond_port_mac(info) or "",
        mtu=message.get_attr("IFLA_MTU") or 0,
        kind=(info.get_attr("IFLA_INFO_KIND") if info is not None else None) or "",
        flags=message["flags"],
    )


def _bond_port_mac(info: Any) -> str | None:
    """A port that was given its bond's MAC keeps its own one here, where the driver does not report a permanent one."""
    port: Any = info.get_attr("IFLA_INFO_SLAVE_DATA") if info is not None else None
    return port.get_attr("IFLA_BOND_SLAVE_PERM_HWADDR") if hasattr(port, "get_attr") else None


def _is_usable(message: Any) -> bool:
    flags = message.get_attr("IFA_FLAGS") or 0
    return message["scope"] == SCOPE_UNIVERSE and not flags & IFA_F_UNUSABLE


def _route(message: Any, names: dict[int, str]) -> KernelRoute:
    return KernelRoute(
        interface=names[message.get_attr("RTA_OIF")],
        destination=message.get_attr("RTA_DST") or "",
        gateway=message.get_attr("RTA_GATEWAY") or "",
        family=message["family"],
        metric=message.get_attr("RTA_PRIORITY") or 0,
    )
