"""The machines to make: names, MACs, addresses and disks of the hosts in the cluster's intent."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv6Interface, ip_interface, ip_network

import msgspec

from agent.model.intent import ClusterIntent, HostIntent
from agent.model.network import Ethernet, Vlan
from vm_harness.network.link import SECOND_BRIDGE, bridge_of

ROOT_DISK = "/dev/vda"


class LabHost(msgspec.Struct, frozen=True, kw_only=True):
    """A machine to make.

    `macs`: one a NIC. `address`: the first static one, with its prefix length; None when there is none.
    `gateway`: of the default route; empty when there is none. `vlan`: the VLAN that the address is on. `second_link`:
    those of `macs` that have an address in another network than `address`.
    """

    name: str
    macs: tuple[str, ...]
    address: IPv4Interface | IPv6Interface | None = None
    gateway: str = ""
    vlan: int | None = None
    root_disk: str = ROOT_DISK
    second_link: tuple[str, ...] = ()

    @property
    def bridges(self) -> tuple[str, ...]:
        """The bridge of each NIC."""
        return tuple(SECOND_BRIDGE if mac in self.second_link else bridge_of(self.vlan) for mac in self.macs)


def of_intent(intent: ClusterIntent) -> tuple[LabHost, ...]:
    """One machine a host, in the order of the inputs."""
    return tuple(_host(host) for host in intent.hosts)


def _host(host: HostIntent) -> LabHost:
    addressed = next((link for link in host.network.interfaces if link.static_addresses), None)
    gateways = (route.gateway for route in host.network.routes if ip_network(route.destination).prefixlen == 0)
    return LabHost(
        name=host.hostname,
        macs=tuple(nic.mac for nic in host.interfaces),
        address=ip_interface(addressed.static_addresses[0]) if addressed else None,
        gateway=next(gateways, ""),
        vlan=addressed.id if isinstance(addressed, Vlan) else None,
        root_disk=host.root_device_hints.device_name or ROOT_DISK,
        second_link=tuple(_second_link(host)),
    )


def _second_link(host: HostIntent) -> Iterator[str]:
    """MACs of the NICs with an address in another network than the first one of the host."""
    addressed = [link for link in host.network.interfaces if link.static_addresses]
    for link in addressed[1:]:
        first, own = (ip_interface(each.static_addresses[0]) for each in (addressed[0], link))
        if isinstance(link, Ethernet) and own.network != first.network:
            yield link.mac
