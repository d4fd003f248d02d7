"""MAC addresses, IP addresses, host names, interface names and taints are unique."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path, section_path
from inputs.facts.hosts import HOSTNAME, MAC_ADDRESS, HostFacts
from inputs.facts.interfaces import configured_interfaces, listed_macs, nic_macs, normal_mac
from inputs.schema.agent_config import Host, Taint

_LISTED_NAMES = field_path(Host, str, "interfaces[].name")
_LISTED_MACS = field_path(Host, str, "interfaces[].macAddress")
_CONFIGURED_NAMES = field_path(Host, str, "networkConfig.interfaces[].name")
_TAINTS = section_path(Host, Taint, "nodeTaints[]")
_KEY = field_path(Taint, object, "key")
_EFFECT = field_path(Taint, object, "effect")


def duplicates(facts: Facts) -> Iterator[Finding]:
    listed = (place for host in facts.hosts for place in host.find(_LISTED_MACS))
    yield from _repeated("mac-duplicate", "MAC address", (*listed, *_unlisted_macs(facts)), normal_mac)
    addresses = (own.place for host in facts.hosts for own in host.addresses)
    yield from _repeated("address-duplicate", "address", addresses, lambda text: str(ip_address(text)))
    hostnames = (place for host in facts.hosts for place in host.find(HOSTNAME))
    yield from _repeated("hostname-duplicate", "host name", hostnames)
    for host in facts.hosts:
        nics = (each for each in configured_interfaces(host) if each.kind == "ethernet")
        own = (mac for nic in nics for mac in nic.find(MAC_ADDRESS))
        yield from _repeated("mac-duplicate", "MAC address", own, normal_mac)
        yield from _repeated("interface-duplicate", "interface name", host.find(_LISTED_NAMES))
        yield from _repeated("interface-duplicate", "interface name", host.find(_CONFIGURED_NAMES))
        yield from _taints(host)


def _unlisted_macs(facts: Facts) -> Iterator[Place[str]]:
    """The MAC addresses of NICs that only networkConfig lists."""
    for host in facts.hosts:
        yield from (place for name, place in nic_macs(host).items() if name not in listed_macs(host))


def _taints(host: HostFacts) -> Iterator[Finding]:
    """Kubernetes identifies a taint by key and effect, whatever its value."""
    seen: set[tuple[object, object]] = set()
    for taint in host.sections(_TAINTS):
        key, effect = taint.get(_KEY, None), taint.get(_EFFECT, None)
        if (key, effect) in seen:
            rule = f"{host.name} has a taint {key} with the effect {effect} already."
            yield taint.finding(None, "taint-duplicate", rule, "Keep one of them.")
        seen.add((key, effect))


def _repeated(
    code: str, what: str, places: Iterable[Place[str]], normal: Callable[[str], str] = str
) -> Iterator[Finding]:
    first: dict[str, Place[str]] = {}
    for place in places:
        if not place.value:
            continue
        earlier = first.setdefault(normal(place.value), place)
        if earlier is not place:
            rule = f"The {what} {place.value} is already at {earlier.where}."
            yield place.error(code, rule, f"Every {what} must be unique: correct one of the two.")
