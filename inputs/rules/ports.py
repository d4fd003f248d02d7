"""The ports of bonds, bridges and VRFs exist, each in one of them, and have no addresses of their own."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.facts.hosts import HostFacts
from inputs.facts.interfaces import IDENTITY, LOWER, InterfaceFacts, configured_interfaces, nic_macs, port_name
from inputs.schema.network_config import NmstateInterface

_PRIMARY = field_path(NmstateInterface, str, "link-aggregation.options.primary")
_ENABLED = (
    field_path(NmstateInterface, bool, "ipv4.enabled"),
    field_path(NmstateInterface, bool, "ipv6.enabled"),
)
_KEEPS_ADDRESSES = "vrf"


def ports_fit(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        if host.interfaces_have_errors(*IDENTITY, *LOWER):
            continue
        interfaces = configured_interfaces(host)
        for interface in interfaces:
            yield from _has_ports(interface)
            yield from _ports_exist(interface, {each.name for each in interfaces} | nic_macs(host).keys())
            yield from _primary_is_a_port(interface)
        yield from _in_one_only(interfaces)
        yield from _without_addresses(host, interfaces)


def _has_ports(interface: InterfaceFacts) -> Iterator[Finding]:
    if interface.kind == "bond" and not interface.ports:
        yield interface.name_place.error(
            "bond-without-ports",
            f"The bond {interface.name} of {interface.host.name} has no ports.",
            "List its NICs in link-aggregation.port.",
        )


def _ports_exist(interface: InterfaceFacts, known: set[str]) -> Iterator[Finding]:
    for name, place in interface.ports.items():
        if name not in known or name == interface.name:
            yield place.error(
                "port-unknown",
                f"{interface.host.name} has no interface {name} that could be a port of {interface.name}.",
                f"Name one of: {', '.join(sorted(known - {interface.name}))}; or list the NIC in `interfaces`.",
            )


def _primary_is_a_port(interface: InterfaceFacts) -> Iterator[Finding]:
    for primary in interface.find(_PRIMARY):
        if interface.ports and port_name(interface.host, primary.value) not in interface.ports:
            yield primary.error(
                "primary-not-a-port",
                f"{primary.value} is not a port of {interface.name}.",
                f"Name one of: {', '.join(interface.ports)}.",
            )


def _in_one_only(interfaces: tuple[InterfaceFacts, ...]) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    for interface in interfaces:
        for name, place in interface.ports.items():
            owner = owners.setdefault(name, interface.name)
            if owner != interface.name:
                yield place.error(
                    "port-in-two",
                    f"{name} is a port of {owner} already, and cannot be one of {interface.name} too.",
                    "Keep it in one of the two.",
                )


def _without_addresses(host: HostFacts, interfaces: tuple[InterfaceFacts, ...]) -> Iterator[Finding]:
    owner = {port: each.name for each in interfaces if each.kind != _KEEPS_ADDRESSES for port in each.ports}
    for interface in interfaces:
        for path in _ENABLED:
            for enabled in interface.find(path):
                if enabled.value and interface.name in owner:
                    yield enabled.error(
                        "port-with-address",
                        f"{interface.name} of {host.name} is a port of {owner[interface.name]}: it has no addresses.",
                        f"Give the address to {owner[interface.name]}, and write enabled: false here.",
                    )
