"""The addresses of this host, each with its NIC and network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface

from agent.machine import Machine


@dataclass(frozen=True)
class Home:
    """An address of this host. `mac` is the one in use, with which the NIC answers."""

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
    """The homes in whose network `address` is: no router is between."""
    target = ip_address(address)
    return tuple(home for home in homes if target in home.own.network)
