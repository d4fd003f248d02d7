"""From where this host can talk to whom: its NICs with their own addresses and networks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface

from agent.machine import Machine


@dataclass(frozen=True)
class Home:
    """An address of this host. `mac` is the one in use, which answers others."""

    nic: str
    mac: str
    mtu: int
    own: IPv4Interface | IPv6Interface


def homes(machine: Machine) -> tuple[Home, ...]:
    """Every usable address. Blocks for some milliseconds."""
    links = {link.name: link for link in machine.netlink.links()}
    return tuple(
        Home(link.name, link.mac, link.mtu, ip_interface(address.address))
        for address in machine.netlink.addresses()
        if (link := links.get(address.interface))
    )


def towards(address: str, homes: Iterable[Home]) -> tuple[Home, ...]:
    """The homes in whose network `address` is: it can be asked for there without a router."""
    target = ip_address(address)
    return tuple(home for home in homes if target in home.own.network)
