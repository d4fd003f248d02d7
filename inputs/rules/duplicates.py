"""Does anything that must be unique stand twice?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts, HostFacts
from inputs.rules.interface_facts import INTERFACES, configured, nic_macs, normal_mac


def duplicates(facts: Facts) -> Iterator[Finding]:
    listed = (place for host in facts.hosts for place in host.find(str, "interfaces", ..., "macAddress"))
    macs = (*listed, *_other_macs(facts))
    yield from _twice("mac-duplicate", "MAC address", macs, normal_mac)
    addresses = (own.place for host in facts.hosts for own in host.addresses)
    yield from _twice("address-duplicate", "address", addresses, lambda text: str(ip_address(text)))
    yield from _twice(
        "hostname-duplicate", "host name", (place for host in facts.hosts for place in host.find(str, "hostname"))
    )
    for host in facts.hosts:
        own = (mac for nic in configured(host) if nic.kind == "ethernet" for mac in nic.find(str, "mac-address"))
        yield from _twice("mac-duplicate", "MAC address", own, normal_mac)
        yield from _twice("interface-duplicate", "interface name", host.find(str, "interfaces", ..., "name"))
        names = host.find(str, *INTERFACES, "name")
        yield from _twice("interface-duplicate", "interface name", names)
        yield from _taints(host)


def _other_macs(facts: Facts) -> Iterator[Place[str]]:
    """Of NICs that only networkConfig gives."""
    for host in facts.hosts:
        for place in nic_macs(host).values():
            if place.path[-1] == "mac-address":
                yield place


def _taints(host: HostFacts) -> Iterator[Finding]:
    """Kubernetes tells taints apart by key and effect, whatever their value."""
    seen: set[tuple[object, object]] = set()
    for taint in host.find(dict, "nodeTaints", ...):
        key, effect = taint.value.get("key"), taint.value.get("effect")
        if (key, effect) in seen:
            rule = f"{host.name} has a taint {key} with the effect {effect} already."
            yield taint.error("taint-duplicate", rule, "Keep one of them.")
        seen.add((key, effect))


def _twice(code: str, what: str, places: Iterable[Place[str]], normal: Callable[[str], str] = str) -> Iterator[Finding]:
    first: dict[str, Place[str]] = {}
    for place in places:
        if not place.value:
            continue
        earlier = first.setdefault(normal(place.value), place)
        if earlier is not place:
            rule = f"The {what} {place.value} is already at {earlier.where}."
            yield place.error(code, rule, f"Every {what} stands once: correct one of the two.")
