"""Are the virtual addresses free, in the machine network, and of the right families?

Also asked for platforms that are refused, so that everything wrong is told at once.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts, IpNetwork
from inputs.schema.values import is_address

_PLATFORMS = ("baremetal", "vsphere", "nutanix")


def virtual_addresses_are_free(facts: Facts) -> Iterator[Finding]:
    for platform in _PLATFORMS:
        api = _addresses(facts, platform, "apiVIPs")
        ingress = _addresses(facts, platform, "ingressVIPs")
        balanced = next(facts.install.find(str, "platform", platform, "loadBalancer", "type"), None)
        for place in api:
            yield from _not_an_ingress_address(place, ingress)
        for places, what in ((api, "API"), (ingress, "Ingress")):
            yield from _families(places, what, facts)
        for place in (*api, *ingress):
            if balanced is None or balanced.value != "UserManaged":
                yield from _in_a_machine_network(place, facts)
            yield from _not_a_hosts(place, facts)
        for further in api[1:]:
            yield further.error(
                "not-supported-yet", "Not supported yet: a second virtual address for the API.", "Write one address."
            )


def _addresses(facts: Facts, platform: str, field: str) -> list[Place[str]]:
    """Those that are addresses; what is not is told elsewhere."""
    return [place for place in facts.install.find(str, "platform", platform, field, ...) if is_address(place.value)]


def _not_an_ingress_address(place: Place[str], ingress: list[Place[str]]) -> Iterator[Finding]:
    same = [other for other in ingress if _same(other.value, place.value)]
    if same:
        rule = f"The API's address {place.value} is an ingress address, too ({same[0].where})."
        yield place.error("vip-twice", rule, "Give each an address of its own.")


def _families(places: list[Place[str]], what: str, facts: Facts) -> Iterator[Finding]:
    versions = [ipaddress.ip_address(place.value).version for place in places]
    if len(versions) == 2 and versions[0] == versions[1]:
        rule = f"Of two {what} addresses one must be IPv4 and the other IPv6."
        yield places[1].error("vip-family-wrong", rule, "Remove one of the two.")
    pods = [network.version for _, network in facts.networks("networking", "clusterNetwork", ..., "cidr")]
    if versions and pods and versions[0] != pods[0]:
        rule = f"The first {what} address is IPv{versions[0]}, the first cluster network IPv{pods[0]}."
        yield places[0].error("vip-family-wrong", rule, "Put both in the same order.")


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
        rule = f"{place.value} is the first or last address of {inside}, which nobody can have."
        yield place.error("vip-not-usable", rule, "Write a free address between the two.")


def _machine_networks(facts: Facts) -> list[IpNetwork]:
    given = [network for _, network in facts.machine_networks]
    derived = facts.rendezvous_network
    return given or ([] if derived is None else [derived])


def _not_a_hosts(place: Place[str], facts: Facts) -> Iterator[Finding]:
    remedy = "Write an address that nobody has."
    if facts.rendezvous and _same(facts.rendezvous.value, place.value):
        yield place.error("vip-in-use", f"{place.value} is the rendezvous address.", remedy)
    for host in facts.hosts:
        for own in host.addresses:
            if own.address.ip == ipaddress.ip_address(place.value):
                yield place.error("vip-in-use", f"{place.value} is an address of {host.name}.", remedy)
        for gateway in host.find(str, "networkConfig", "routes", "config", ..., "next-hop-address"):
            if _same(gateway.value, place.value):
                yield place.error("vip-in-use", f"{place.value} is a gateway of {host.name}.", remedy)
                return


def _same(one: str, other: str) -> bool:
    return ipaddress.ip_address(one) == ipaddress.ip_address(other)
