"""Does every VLAN have a parent, and is it there once?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import BELOW, IDENTITY, Facts
from inputs.rules.interface_facts import InterfaceFacts, configured, nic_macs


def vlans_have_parents(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        if host.interfaces_have_errors(*IDENTITY, *BELOW):
            continue
        interfaces = configured(host)
        known = {each.name for each in interfaces} | nic_macs(host).keys()
        taken: dict[tuple[str, int], str] = {}
        for vlan in interfaces:
            if vlan.kind == "vlan":
                yield from _parent_exists(vlan, known)
                yield from _id_is_free(vlan, taken)
        yield from _no_circle(interfaces)


def _parent_exists(vlan: InterfaceFacts, known: set[str]) -> Iterator[Finding]:
    for parent in vlan.find(str, "vlan", "base-iface"):
        if parent.value not in known:
            yield parent.error(
                "vlan-without-parent",
                f"{vlan.host.name} has no interface {parent.value} for the VLAN {vlan.name} to be on.",
                f"Name one of: {', '.join(sorted(known - {vlan.name}))}; or list the NIC in `interfaces`.",
            )


def _id_is_free(vlan: InterfaceFacts, taken: dict[tuple[str, int], str]) -> Iterator[Finding]:
    for parent in vlan.find(str, "vlan", "base-iface"):
        for number in vlan.find(int, "vlan", "id"):
            owner = taken.setdefault((parent.value, number.value), vlan.name)
            if owner != vlan.name:
                yield number.error(
                    "vlan-duplicate",
                    f"{owner} is VLAN {number.value} on {parent.value} already.",
                    "Give one of the two another id or parent.",
                )


def _no_circle(interfaces: tuple[InterfaceFacts, ...]) -> Iterator[Finding]:
    """Nothing may stand on itself, through ports and parents."""
    below = {interface.name: interface.uses for interface in interfaces}
    for interface in interfaces:
        reached: set[str] = set()
        ahead = list(below[interface.name])
        while ahead:
            name = ahead.pop()
            if name not in reached:
                reached.add(name)
                ahead.extend(below.get(name, {}))
        if interface.name in reached:
            yield interface.place().error(
                "interface-circle",
                f"{interface.name} stands on itself, through its ports or parent ({', '.join(sorted(reached))}).",
                "Let the chain begin at a NIC.",
            )
