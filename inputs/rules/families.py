"""Pods, services and hosts use the same IP family, each network once, and the service network has a valid size."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from inputs.document.findings import Finding
from inputs.document.source import Path, Place
from inputs.facts.facts import CLUSTER_CIDRS, NETWORKING, SERVICE_CIDRS, Facts
from inputs.facts.hosts import IpNetwork
from inputs.schema.install_config import Networking

_MOST_BITS = 20
"""kube-apiserver rejects a larger service network."""
_LEAST_BITS = 4
_ONE_FAMILY = (
    "Not supported yet: dual-stack pods. A node registers with one address, and its pods are reached by that address's "
    "family only. Also, dual stack is an alpha feature in Kubernetes 1.20."
)


def network_families_fit(facts: Facts) -> Iterator[Finding]:
    pods, services = facts.networks(CLUSTER_CIDRS), facts.networks(SERVICE_CIDRS)
    yield from _once_each((place, _entry(place), network) for place, network in pods)
    yield from _once_each((place, place.path, network) for place, network in services)
    both = {network.version for _, network in pods}, {network.version for _, network in services}
    if all(both) and both[0] != both[1]:
        yield services[0][0].error(
            "network-families-differ",
            "Pods and services must have addresses of the same families.",
            "Give clusterNetwork and serviceNetwork an entry of each family that is used.",
        )
    if len(both[0]) == 2:
        place, _ = pods[1]
        yield place.source.finding(_entry(place), "not-supported-yet", _ONE_FAMILY, "Keep one family.")
    yield from _same_as_control_plane(both[0], facts)
    for place, network in services:
        yield from _size(place, network)


def _same_as_control_plane(pods: AbstractSet[int], facts: Facts) -> Iterator[Finding]:
    """The address of a node and those of its pods have one family. Without clusterNetwork, pods have the default's."""
    if facts.rendezvous is None or len(pods) > 1:
        return
    family = ipaddress.ip_address(facts.rendezvous.value).version
    default = ipaddress.ip_network(Networking.model_fields["cluster_network"].default[0].cidr).version
    if (found := next(iter(pods), default)) != family and not facts.install.has_errors(NETWORKING):
        yield facts.install.finding(
            NETWORKING, "network-families-differ",
            f"node0's address {facts.rendezvous.value} is IPv{family}, but pods would have IPv{found}.",
            f"Give clusterNetwork and serviceNetwork IPv{family} networks.",
            at_key=True,
        )  # fmt: skip


def _once_each(networks: Iterator[tuple[Place[str], Path, IpNetwork]]) -> Iterator[Finding]:
    seen: set[int] = set()
    for place, path, network in networks:
        if network.version in seen:
            rule = f"There is an IPv{network.version} network already."
            yield place.source.finding(path, "network-family-twice", rule, "Keep one of each family.")
        seen.add(network.version)


def _entry(cidr: Place[str]) -> Path:
    """The element of clusterNetwork that has this `cidr`."""
    return cidr.path[:-1]


def _size(place: Place[str], network: IpNetwork) -> Iterator[Finding]:
    bits = network.max_prefixlen - network.prefixlen
    if not _LEAST_BITS <= bits <= _MOST_BITS:
        smallest, largest = network.max_prefixlen - _MOST_BITS, network.max_prefixlen - _LEAST_BITS
        rule = f"A service network must be a /{smallest} to /{largest}, not a /{network.prefixlen}."
        yield place.error("service-network-size", rule, f"Write one like {network.network_address}/{smallest + 4}.")
