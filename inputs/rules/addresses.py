"""The static addresses of hosts are usable, and each host has one in a machine network."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.hosts import HostAddress, HostFacts, IpNetwork, is_broadcast


def addresses_in_the_machine_network(facts: Facts) -> Iterator[Finding]:
    """One address of each host must be in a machine network. Others, for storage for example, may be anywhere."""
    networks = facts.machine_networks
    for host in facts.hosts:
        for own in host.addresses:
            yield from _usable(own)
            yield from _same_prefix(own, networks)
        if networks and host.addresses and not host.has_unknown_addresses:
            yield from _one_inside(host, networks)


def _usable(own: HostAddress) -> Iterator[Finding]:
    """IPv4 reserves the first and last address of a network; IPv6 only the first one, for routers (RFC 4291)."""
    network = own.address.network
    first = network.num_addresses > 2 and own.address.ip == network.network_address
    if first or is_broadcast(own.address.ip, network):
        yield own.place.error(
            "address-not-a-host",
            f"{own.address.ip} is the first or last address of {network}, which no host can have.",
            "Write an address between the two, or correct prefix-length.",
        )


def _same_prefix(own: HostAddress, networks: tuple[IpNetwork, ...]) -> Iterator[Finding]:
    for network in networks:
        if own.address.ip in network and own.address.network != network:
            yield own.place.error(
                "prefix-contradiction",
                f"{own.address} is in the machine network {network}, but has another prefix length.",
                f"Write prefix-length: {network.prefixlen}, or correct networking.machineNetwork.",
            )


def _one_inside(host: HostFacts, networks: tuple[IpNetwork, ...]) -> Iterator[Finding]:
    if not any(own.address.ip in network for own in host.addresses for network in networks):
        yield host.addresses[0].place.error(
            "address-outside-machine-network",
            f"{host.name} has no address in a machine network ({', '.join(map(str, networks))}).",
            "Correct the address, or networking.machineNetwork in install-config.yaml.",
        )
