"""Virtual addresses are free, in a machine network, and of the right families.

Platforms that are not supported are checked too, so that all findings come at once.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import CLUSTER_CIDRS, Facts
from inputs.facts.field_path import FieldPath, field_path, unsupported_path
from inputs.facts.hosts import GATEWAY, ROUTES, IpNetwork
from inputs.schema.install_config import InstallConfig
from inputs.schema.platforms import USER_MANAGED
from inputs.schema.values import is_address


@dataclass(frozen=True)
class _Paths:
    api: FieldPath[InstallConfig, str]
    ingress: FieldPath[InstallConfig, str]
    balancer: FieldPath[InstallConfig, str]


_BAREMETAL = _Paths(
    api=field_path(InstallConfig, str, "platform.baremetal.apiVIPs[]"),
    ingress=field_path(InstallConfig, str, "platform.baremetal.ingressVIPs[]"),
    balancer=field_path(InstallConfig, str, "platform.baremetal.loadBalancer.type"),
)
_UNSUPPORTED = tuple(
    _Paths(
        api=unsupported_path(str, f"platform.{platform}.apiVIPs[]"),
        ingress=unsupported_path(str, f"platform.{platform}.ingressVIPs[]"),
        balancer=unsupported_path(str, f"platform.{platform}.loadBalancer.type"),
    )
    for platform in ("vsphere", "nutanix")
)


def virtual_addresses_are_free(facts: Facts) -> Iterator[Finding]:
    for platform in (_BAREMETAL, *_UNSUPPORTED):
        api, ingress = _addresses(facts, platform.api), _addresses(facts, platform.ingress)
        for place in api:
            yield from _not_an_ingress_address(place, ingress)
        for places, what in ((api, "API"), (ingress, "Ingress")):
            yield from _families(places, what, facts)
        for place in (*api, *ingress):
            if facts.install.get(platform.balancer, "") != USER_MANAGED:
                yield from _in_a_machine_network(place, facts)
            yield from _not_a_hosts(place, facts)
        for further in api[1:]:
            yield further.error(
                "not-supported-yet", "Not supported yet: a second virtual address for the API.", "Write one address."
            )


def _addresses(facts: Facts, path: FieldPath[InstallConfig, str]) -> list[Place[str]]:
    """The valid ones; the models check only those of supported platforms."""
    return [place for place in facts.install.find(path) if is_address(place.value)]


def _not_an_ingress_address(place: Place[str], ingress: list[Place[str]]) -> Iterator[Finding]:
    same = [other for other in ingress if _same(other.value, place.value)]
    if same:
        rule = f"The API's address {place.value} is an ingress address too ({same[0].where})."
        yield place.error("vip-twice", rule, "Give each an address of its own.")


def _families(places: list[Place[str]], what: str, facts: Facts) -> Iterator[Finding]:
    versions = [ipaddress.ip_address(place.value).version for place in places]
    if len(versions) == 2 and versions[0] == versions[1]:
        rule = f"Of two {what} addresses one must be IPv4 and the other IPv6."
        yield places[1].error("vip-family-wrong", rule, "Remove one of the two.")
    pods = [network.version for _, network in facts.networks(CLUSTER_CIDRS)]
    if versions and pods and versions[0] != pods[0]:
        rule = f"The first {what} address is IPv{versions[0]}, but the first cluster network is IPv{pods[0]}."
        yield places[0].error("vip-family-wrong", rule, "Write both in the same order.")


def _in_a_machine_network(place: Place[str], facts: Facts) -> Iterator[Finding]:
    address = ipaddress.ip_address(place.value)
    networks = _machine_networks(facts)
    inside = next((network for network in networks if address in network), None)
    if networks and inside is None:
        yield place.error(
            "vip-outside-machine-network",
            f"{place.value} is in none of the machine networks ({', '.join(map(str, networks))}).",
            "Write a free address of the hosts' own network.",
        )
    elif inside is not None and address in {inside.network_address, inside.broadcast_address}:
        rule = f"{place.value} is the first or last address of {inside}, which no host can have."
        yield place.error("vip-not-usable", rule, "Write a free address between the two.")


def _machine_networks(facts: Facts) -> tuple[IpNetwork, ...]:
    derived = facts.rendezvous_network
    return facts.machine_networks or (() if derived is None else (derived,))


def _not_a_hosts(place: Place[str], facts: Facts) -> Iterator[Finding]:
    remedy = "Write an address that is not in use."
    if facts.rendezvous and _same(facts.rendezvous.value, place.value):
        yield place.error("vip-in-use", f"{place.value} is the rendezvous address.", remedy)
    for host in facts.hosts:
        for own in host.addresses:
            if own.address.ip == ipaddress.ip_address(place.value):
                yield place.error("vip-in-use", f"{place.value} is an address of {host.name}.", remedy)
        for gateway in (found for route in host.sections(ROUTES) for found in route.find(GATEWAY)):
            if _same(gateway.value, place.value):
                yield place.error("vip-in-use", f"{place.value} is a gateway of {host.name}.", remedy)
                return


def _same(one: str, other: str) -> bool:
    return ipaddress.ip_address(one) == ipaddress.ip_address(other)
