"""Do the hosts' addresses lie in the machine network, as the other hosts expect them to?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts, HostAddress, HostFacts, IpAddress, IpNetwork


def addresses_in_the_machine_network(facts: Facts) -> Iterator[Finding]:
    """Every host needs one address inside; further ones, for storage and the like, may be anywhere."""
    networks = [network for _, network in facts.machine_networks]
    for host in facts.hosts:
        for own in host.addresses:
            yield from _usable(own)
            yield from _same_prefix(own, networks)
        if networks and host.addresses and not host.has_unknown_addresses:
            yield from _one_inside(host, networks)


def is_broadcast(address: IpAddress, network: IpNetwork) -> bool:
    """Whether IPv4 has the address, the first or last of the network, set aside."""
    ends = (network.network_address, network.broadcast_address)
    return network.version == 4 and network.num_addresses > 2 and address in ends


def _usable(own: HostAddress) -> Iterator[Finding]:
    """IPv4 broadcasts to the last address; IPv6 has only the first one set aside, for any of the routers."""
    network = own.address.network
    first = network.num_addresses > 2 and own.address.ip == network.network_address
    if first or is_broadcast(own.address.ip, network):
        yield own.place.error(
            "address-not-a-host",
            f"{own.address.ip} is the first or last address of {network}, which no host can have.",
            "Write an address between the two, or correct prefix-length.",
        )


def _same_prefix(own: HostAddress, networks: list[IpNetwork]) -> Iterator[Finding]:
    for network in networks:
        if own.address.ip in network and own.address.network != network:
            yield own.place.error(
                "prefix-contradiction",
                f"{own.address} is in the machine network {network}, but with another prefix length.",
                f"Write prefix-length: {network.prefixlen}, or correct networking.machineNetwork.",
            )


def _one_inside(host: HostFacts, networks: list[IpNetwork]) -> Iterator[Finding]:
    if not any(own.address.ip in network for own in host.addresses for network in networks):
        yield host.addresses[0].place.error(
            "address-outside-machine-network",
            f"{host.name} has no address in a machine network ({', '.join(map(str, networks))}).",
            "Correct the address, or networking.machineNetwork in install-config.yaml.",
        )
