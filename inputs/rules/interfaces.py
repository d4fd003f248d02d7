"""Do `interfaces` (which NIC is which) and `networkConfig` (what each does) speak of the same NICs?"""

from __future__ import annotations

from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import BELOW, IDENTITY, Facts, HostFacts
from inputs.rules.interface_facts import InterfaceFacts, nic_macs, normal_mac
from inputs.rules.interface_facts import configured as configured_interfaces


def interfaces_agree(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        listed = {place.value: place for place in host.find(str, "interfaces", ..., "name")}
        configured = {place.value: place for place in host.find(str, "networkConfig", "interfaces", ..., "name")}
        interfaces = configured_interfaces(host)
        if not host.has_errors("interfaces"):
            yield from _is_recognisable(host)
            yield from _not_listed(host, listed, interfaces)
        if configured and not host.interfaces_have_errors(*IDENTITY, *BELOW):
            yield from _not_configured(listed, {name for each in interfaces for name in (each.name, *each.uses)})
            yield from _not_a_nic(listed, interfaces)
        yield from _other_mac(host, listed, configured)


def _is_recognisable(host: HostFacts) -> Iterator[Finding]:
    if not nic_macs(host):
        yield host.source.finding(
            host.path, "host-without-mac",
            f"{host.name} has no MAC address, so no machine would be recognised as it.",
            "List at least one of its NICs in `interfaces`, with name and macAddress.",
        )  # fmt: skip


def _not_listed(
    host: HostFacts, listed: dict[str, Place[str]], interfaces: tuple[InterfaceFacts, ...]
) -> Iterator[Finding]:
    """A NIC that nobody gives a MAC address for."""
    for nic in interfaces:
        if nic.kind == "ethernet" and nic.name not in nic_macs(host):
            names = ", ".join(listed) or "none"
            yield nic.place().error(
                "interface-not-listed",
                f"networkConfig sets up {nic.name}, but `interfaces` of {host.name} does not list it ({names} listed).",
                "Add it to `interfaces` with its macAddress, or use a name that is listed.",
            )


def _not_configured(listed: dict[str, Place[str]], used: set[str]) -> Iterator[Finding]:
    for name, place in listed.items():
        if name not in used:
            yield place.warning(
                "interface-not-configured",
                f"networkConfig does not set up {name}: it only helps to recognise the host.",
                "Add it to networkConfig if it is to have an address.",
            )


def _not_a_nic(listed: dict[str, Place[str]], interfaces: tuple[InterfaceFacts, ...]) -> Iterator[Finding]:
    for interface in interfaces:
        if interface.kind != "ethernet" and interface.name in listed:
            yield listed[interface.name].error(
                "interface-not-a-nic",
                f"`interfaces` lists NICs by their MAC address; {interface.name} is a {interface.kind}.",
                "List the NICs that it stands on instead.",
            )


def _other_mac(host: HostFacts, listed: dict[str, Place[str]], configured: dict[str, Place[str]]) -> Iterator[Finding]:
    for name in listed.keys() & configured.keys():
        expected = next(host.source.find(str, *listed[name].path[:-1], "macAddress"), None)
        given = next(host.source.find(str, *configured[name].path[:-1], "mac-address"), None)
        if expected and given and normal_mac(expected.value) != normal_mac(given.value):
            yield given.error(
                "mac-contradiction",
                f"{name} has the MAC address {given.value} here and {expected.value} at {expected.where}.",
                "Correct one of the two, or leave mac-address out.",
            )
