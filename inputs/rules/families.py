"""Do pods and services speak the same families, once each, which the hosts speak too, and is the service network of a
size Kubernetes takes?"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts, IpNetwork
from inputs.schema.install_config import Networking

_PODS = ("networking", "clusterNetwork", ..., "cidr")
_SERVICES = ("networking", "serviceNetwork", ...)
_MOST_BITS = 20
"""The API server refuses a larger service network."""
_LEAST_BITS = 4
_ONE_FAMILY = (
    "Not supported yet: dual-stack pods. A node is registered with one address, by which its pods are reached: in its "
    "family only. Kubernetes 1.20, besides, has dual stack behind an alpha gate."
)

_Networks = tuple[tuple[Place[str], IpNetwork], ...]


def network_families_fit(facts: Facts) -> Iterator[Finding]:
    pods, services = facts.networks(*_PODS), facts.networks(*_SERVICES)
    yield from _once_each(pods, field=-1)
    yield from _once_each(services)
    both = {network.version for _, network in pods}, {network.version for _, network in services}
    if all(both) and both[0] != both[1]:
        yield services[0][0].error(
            "network-families-differ",
            "Pods and services must have the same families of addresses.",
            "Give clusterNetwork and serviceNetwork an entry of each family that is used.",
        )
    if len(both[0]) == 2:
        place, _ = pods[1]
        yield _about_entry(place, "not-supported-yet", _ONE_FAMILY, "Keep one family.")
    yield from _control_plane_speaks(both[0], facts)
    for place, network in services:
        yield from _size(place, network)


def _control_plane_speaks(pods: AbstractSet[int], facts: Facts) -> Iterator[Finding]:
    """A node's own address and its pods' are of one family. Without clusterNetwork, pods have the default's."""
    if facts.rendezvous is None or len(pods) > 1:
        return
    family = ipaddress.ip_address(facts.rendezvous.value).version
    default = ipaddress.ip_network(Networking.model_fields["cluster_network"].default[0].cidr).version
    if (found := next(iter(pods), default)) != family and not facts.install.has_errors(("networking",)):
        yield facts.install.finding(
            ("networking",), "network-families-differ",
            f"node0's address {facts.rendezvous.value} is IPv{family}, and pods would have IPv{found}.",
            f"Give clusterNetwork and serviceNetwork IPv{family} networks.",
            at_key=True,
        )  # fmt: skip


def _once_each(networks: _Networks, field: int | None = None) -> Iterator[Finding]:
    seen: set[int] = set()
    for place, network in networks:
        if network.version in seen:
            path = place.path[:field]
            rule = f"There is an IPv{network.version} network already."
            yield place.source.finding(path, "network-family-twice", rule, "Keep one of each family.")
        seen.add(network.version)


def _about_entry(place: Place[str], code: str, rule: str, remedy: str) -> Finding:
    return place.source.finding(place.path[:-1], code, rule, remedy)


def _size(place: Place[str], network: IpNetwork) -> Iterator[Finding]:
    bits = network.max_prefixlen - network.prefixlen
    if not _LEAST_BITS <= bits <= _MOST_BITS:
        smallest, largest = network.max_prefixlen - _MOST_BITS, network.max_prefixlen - _LEAST_BITS
        rule = f"A service network is a /{smallest} to /{largest}, not a /{network.prefixlen}."
        yield place.error("service-network-size", rule, f"Write one like {network.network_address}/{smallest + 4}.")
