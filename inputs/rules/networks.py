"""The networks of machines, pods and services are usable, disjoint and large enough."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from itertools import combinations

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import (
    CLUSTER_CIDRS,
    CONTROL_PLANE_REPLICAS,
    MACHINE_CIDRS,
    SERVICE_CIDRS,
    WORKER_REPLICAS,
    Facts,
)
from inputs.facts.field_path import field_path, section_path
from inputs.schema.install_config import ClusterNetworkEntry, InstallConfig

_NETWORKS = (MACHINE_CIDRS, CLUSTER_CIDRS, SERVICE_CIDRS)
_CLUSTER_NETWORK = section_path(InstallConfig, ClusterNetworkEntry, "networking.clusterNetwork[]")
_CIDR = field_path(ClusterNetworkEntry, str, "cidr")
_HOST_PREFIX = field_path(ClusterNetworkEntry, int, "hostPrefix")


def networks_are_of_a_usable_kind(facts: Facts) -> Iterator[Finding]:
    for place, network in (found for path in _NETWORKS for found in facts.networks(path)):
        if network.is_loopback or network.is_link_local or network.is_multicast:
            rule = f"{network} is a loopback, link-local or multicast network."
            yield place.error("network-not-usable", rule, "Use a private network, like one in 10.0.0.0/8 or fd00::/8.")


def networks_are_disjoint(facts: Facts) -> Iterator[Finding]:
    """The address of a pod or service must not be that of a machine as well."""
    given = [found for path in _NETWORKS for found in facts.networks(path)]
    for (first, one), (second, other) in combinations(given, 2):
        if one.version == other.version and one.overlaps(other):
            yield second.error(
                "networks-overlap",
                f"{other} overlaps {one} ({first.where}).",
                "Machines, pods and services each need a network of their own: change one of the two.",
            )
    yield from _disjoint_from_defaults(facts)


def _disjoint_from_defaults(facts: Facts) -> Iterator[Finding]:
    for name, default in facts.default_networks():
        for place, network in facts.networks(MACHINE_CIDRS):
            if network.version == default.version and network.overlaps(default):
                yield place.error(
                    "networks-overlap",
                    f"{network} overlaps {default}, the default of {name}.",
                    f"Set networking.{name} to a network that is not used at the site.",
                )


def pod_network_is_large_enough(facts: Facts) -> Iterator[Finding]:
    """Every host gets a subnet of the pod network, with the prefix length `hostPrefix`."""
    hosts = sum(count.value for count in _replicas(facts))
    for entry in facts.install.sections(_CLUSTER_NETWORK):
        prefix, cidr = entry.first(_HOST_PREFIX), entry.first(_CIDR)
        if prefix is None or cidr is None:
            continue
        network = ipaddress.ip_network(cidr.value)
        if not network.prefixlen <= prefix.value <= network.max_prefixlen - 2:
            yield prefix.error(
                "host-prefix-invalid",
                f"A host's subnet /{prefix.value} must be inside {network} and leave room for pods.",
                f"Write a number from {network.prefixlen} to {network.max_prefixlen - 2}; 23 or 24 are usual.",
            )
            continue
        subnets = 1 << (prefix.value - network.prefixlen)
        if hosts > subnets:
            yield prefix.error(
                "pod-network-too-small",
                f"{network} has {subnets} subnets of /{prefix.value} for {hosts} hosts.",
                "Write a larger hostPrefix or a larger cidr.",
            )


def _replicas(facts: Facts) -> Iterator[Place[int]]:
    yield from facts.install.find(CONTROL_PLANE_REPLICAS)
    yield from facts.install.find(WORKER_REPLICAS)
