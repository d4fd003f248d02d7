"""`interfaces` (which NIC is which) and `networkConfig` (how each is configured) name the same NICs."""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.facts.fields import Fields
from inputs.facts.hosts import INTERFACES, MAC_ADDRESS, NAME, NIC_MAC, NIC_NAME, NICS, HostFacts
from inputs.facts.interfaces import IDENTITY, LOWER, InterfaceFacts, configured_interfaces, nic_macs, normal_mac
from inputs.schema.agent_config import Host, Interface
from inputs.schema.network_config import NmstateInterface

_NIC_LIST = field_path(Host, list, "interfaces")

_Listed = dict[str, Fields[Interface]]


def interfaces_agree(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        listed = {name.value: nic for nic in host.sections(NICS) for name in nic.find(NIC_NAME)}
        configured = {name.value: each for each in host.sections(INTERFACES) for name in each.find(NAME)}
        interfaces = configured_interfaces(host)
        if not host.has_errors(_NIC_LIST):
            yield from _is_recognisable(host)
            yield from _not_listed(host, listed, interfaces)
        if configured and not host.interfaces_have_errors(*IDENTITY, *LOWER):
            yield from _not_configured(listed, {name for each in interfaces for name in (each.name, *each.lower)})
            yield from _not_a_nic(listed, interfaces)
        yield from _other_mac(listed, configured)


def _is_recognisable(host: HostFacts) -> Iterator[Finding]:
    if not nic_macs(host):
        yield host.finding(
            None, "host-without-mac",
            f"{host.name} has no MAC address, so no machine could be matched to it.",
            "List at least one of its NICs in `interfaces`, with name and macAddress.",
        )  # fmt: skip


def _not_listed(host: HostFacts, listed: _Listed, interfaces: tuple[InterfaceFacts, ...]) -> Iterator[Finding]:
    """A NIC without a MAC address in either place."""
    for nic in interfaces:
        if nic.kind == "ethernet" and nic.name not in nic_macs(host):
            names = ", ".join(listed) or "none"
            yield nic.name_place.error(
                "interface-not-listed",
                f"networkConfig sets up {nic.name}, but `interfaces` of {host.name} does not list it ({names} listed).",
                "Add it to `interfaces` with its macAddress, or use a name that is listed.",
            )


def _not_configured(listed: _Listed, used: set[str]) -> Iterator[Finding]:
    for name, nic in listed.items():
        if name not in used:
            yield _name_of(nic).warning(
                "interface-not-configured",
                f"networkConfig does not set up {name}: it only helps to recognise the host.",
                "Add it to networkConfig if it should have an address.",
            )


def _not_a_nic(listed: _Listed, interfaces: tuple[InterfaceFacts, ...]) -> Iterator[Finding]:
    for interface in interfaces:
        if interface.kind != "ethernet" and interface.name in listed:
            yield _name_of(listed[interface.name]).error(
                "interface-not-a-nic",
                f"`interfaces` lists NICs by their MAC address; {interface.name} is a {interface.kind}.",
                "List the NICs that it is built on instead.",
            )


def _other_mac(listed: _Listed, configured: dict[str, Fields[NmstateInterface]]) -> Iterator[Finding]:
    for name in listed.keys() & configured.keys():
        expected, given = listed[name].first(NIC_MAC), configured[name].first(MAC_ADDRESS)
        if expected and given and normal_mac(expected.value) != normal_mac(given.value):
            yield given.error(
                "mac-contradiction",
                f"{name} has the MAC address {given.value} here and {expected.value} at {expected.where}.",
                "Correct one of the two, or leave mac-address out.",
            )


def _name_of(nic: Fields[Interface]) -> Place[str]:
    return next(nic.find(NIC_NAME))
