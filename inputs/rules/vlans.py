"""Every VLAN has a parent and is there once, and no interface is built on itself."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.facts.interfaces import (
    IDENTITY,
    LOWER,
    VLAN_PARENT,
    InterfaceFacts,
    configured_interfaces,
    nic_macs,
)
from inputs.schema.network_config import NmstateInterface

_ID = field_path(NmstateInterface, int, "vlan.id")


def vlans_have_parents(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        if host.interfaces_have_errors(*IDENTITY, *LOWER):
            continue
        interfaces = configured_interfaces(host)
        known = {each.name for each in interfaces} | nic_macs(host).keys()
        taken: dict[tuple[str, int], str] = {}
        for vlan in interfaces:
            if vlan.kind == "vlan":
                yield from _parent_exists(vlan, known)
                yield from _id_is_free(vlan, taken)
        yield from _no_cycle(interfaces)


def _parent_exists(vlan: InterfaceFacts, known: set[str]) -> Iterator[Finding]:
    for parent in vlan.find(VLAN_PARENT):
        if parent.value not in known:
            yield parent.error(
                "vlan-without-parent",
                f"{vlan.host.name} has no interface {parent.value}, the parent of VLAN {vlan.name}.",
                f"Name one of: {', '.join(sorted(known - {vlan.name}))}; or list the NIC in `interfaces`.",
            )


def _id_is_free(vlan: InterfaceFacts, taken: dict[tuple[str, int], str]) -> Iterator[Finding]:
    for parent in vlan.find(VLAN_PARENT):
        for number in vlan.find(_ID):
            owner = taken.setdefault((parent.value, number.value), vlan.name)
            if owner != vlan.name:
                yield number.error(
                    "vlan-duplicate",
                    f"{owner} is VLAN {number.value} on {parent.value} already.",
                    "Give one of the two another id or parent.",
                )


def _no_cycle(interfaces: tuple[InterfaceFacts, ...]) -> Iterator[Finding]:
    """Follows ports and parents down from each interface."""
    lower = {interface.name: interface.lower for interface in interfaces}
    for interface in interfaces:
        reached: set[str] = set()
        ahead = list(lower[interface.name])
        while ahead:
            name = ahead.pop()
            if name not in reached:
                reached.add(name)
                ahead.extend(lower.get(name, {}))
        if interface.name in reached:
            yield interface.name_place.error(
                "interface-circle",
                f"{interface.name} is built on itself, through its ports or parent ({', '.join(sorted(reached))}).",
                "Let the chain begin at a NIC.",
            )
