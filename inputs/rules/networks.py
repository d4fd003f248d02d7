"""Are the cluster's networks of a usable kind, apart from each other, and large enough?"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from itertools import combinations

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts, IpNetwork
from inputs.schema.install_config import Networking

_NETWORKS = (
    ("networking", "machineNetwork", ..., "cidr"),
    ("networking", "clusterNetwork", ..., "cidr"),
    ("networking", "serviceNetwork", ...),
)


def networks_are_of_a_usable_kind(facts: Facts) -> Iterator[Finding]:
    for place, network in (found for pattern in _NETWORKS for found in facts.networks(*pattern)):
        if network.is_loopback or network.is_link_local or network.is_multicast:
            rule = f"Addresses of {network} never leave a host or a link, or are many hosts' at once."
            yield place.error("network-not-usable", rule, "Use a private network, like one in 10.0.0.0/8 or fd00::/8.")


def networks_are_disjoint(facts: Facts) -> Iterator[Finding]:
    """A pod or service address must never be some machine's address too."""
    given = [found for pattern in _NETWORKS for found in facts.networks(*pattern)]
    for (first, one), (second, other) in combinations(given, 2):
        if one.version == other.version and one.overlaps(other):
            yield second.error(
                "networks-overlap",
                f"{other} overlaps {one} ({first.where}).",
                "Machines, pods and services each need a network of their own: change one of the two.",
            )
    yield from _against_defaults(facts)


def _against_defaults(facts: Facts) -> Iterator[Finding]:
    """A default that is not written down must not surprise anybody either."""
    for name, default in default_networks(facts):
        for place, network in facts.machine_networks:
            if network.version == default.version and network.overlaps(default):
                yield place.error(
                    "networks-overlap",
                    f"{network} overlaps {default}, the default of {name}.",
                    f"Set networking.{name} to a network that is not used at the site.",
                )


def default_networks(facts: Facts) -> Iterator[tuple[str, IpNetwork]]:
    """Those that are not written down, by the names of their fields."""
    fields = Networking.model_fields
    if not any(True for _ in facts.install.find(object, "networking", "clusterNetwork")):
        yield "clusterNetwork", ipaddress.ip_network(fields["cluster_network"].default[0].cidr)
    if not any(True for _ in facts.install.find(object, "networking", "serviceNetwork")):
        yield "serviceNetwork", ipaddress.ip_network(fields["service_network"].default[0])


def pod_network_is_large_enough(facts: Facts) -> Iterator[Finding]:
    """Every host gets a share of `hostPrefix` bits of the pod network."""
    hosts = sum(count.value for count in _replicas(facts))
    for place in facts.install.find(int, "networking", "clusterNetwork", ..., "hostPrefix"):
        for cidr in facts.install.find(str, *place.path[:-1], "cidr"):
            network = ipaddress.ip_network(cidr.value)
            if not network.prefixlen <= place.value <= network.max_prefixlen - 2:
                yield place.error(
                    "host-prefix-invalid",
                    f"A host's share /{place.value} must be inside {network} and leave room for pods.",
                    f"Write a number from {network.prefixlen} to {network.max_prefixlen - 2}; 23 or 24 are usual.",
                )
                continue
            shares = 1 << (place.value - network.prefixlen)
            if hosts > shares:
                yield place.error(
                    "pod-network-too-small",
                    f"{network} has {shares} shares of /{place.value} for {hosts} hosts.",
                    "Write a larger hostPrefix or a larger cidr.",
                )


def _replicas(facts: Facts) -> Iterator[Place[int]]:
    yield from facts.install.find(int, "controlPlane", "replicas")
    yield from facts.install.find(int, "compute", ..., "replicas")
