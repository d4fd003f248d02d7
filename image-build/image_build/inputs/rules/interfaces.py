"""Do `interfaces` (which NIC is which) and `networkConfig` (what each does) speak of the same NICs?"""

from __future__ import annotations

from collections.abc import Iterator

from image_build.inputs.findings import Finding
from image_build.inputs.rules.facts import Facts, HostFacts
from image_build.inputs.source import Place


def interfaces_agree(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        listed = {place.value: place for place in host.find(str, "interfaces", ..., "name")}
        configured = {place.value: place for place in host.find(str, "networkConfig", "interfaces", ..., "name")}
        if not host.is_broken("interfaces"):
            yield from _is_recognisable(host)
            yield from _not_listed(host, listed, configured)
        if configured and not host.is_broken("networkConfig", "interfaces"):
            yield from _not_configured(listed, configured)
        yield from _other_mac(host, listed, configured)


def _is_recognisable(host: HostFacts) -> Iterator[Finding]:
    if not any(True for _ in host.find(str, "interfaces", ..., "macAddress")):
        yield host.source.finding(
            host.path, "host-without-mac",
            f"{host.name} has no MAC address, so no machine would be recognised as it.",
            "List at least one of its NICs in `interfaces`, with name and macAddress.",
        )  # fmt: skip


def _not_listed(host: HostFacts, listed: dict[str, Place[str]], configured: dict[str, Place[str]]) -> Iterator[Finding]:
    for name, place in configured.items():
        if name not in listed:
            names = ", ".join(listed) or "none"
            yield place.error(
                "interface-not-listed",
                f"networkConfig sets up {name}, but `interfaces` of {host.name} does not list it (listed: {names}).",
                "Add it to `interfaces` with its macAddress, or use a name that is listed.",
            )


def _not_configured(listed: dict[str, Place[str]], configured: dict[str, Place[str]]) -> Iterator[Finding]:
    for name, place in listed.items():
        if name not in configured:
            yield place.warning(
                "interface-not-configured",
                f"networkConfig does not set up {name}: it only helps to recognise the host.",
                "Add it to networkConfig if it is to have an address.",
            )


def _other_mac(host: HostFacts, listed: dict[str, Place[str]], configured: dict[str, Place[str]]) -> Iterator[Finding]:
    for name in listed.keys() & configured.keys():
        expected = next(host.source.find(str, *listed[name].path[:-1], "macAddress"), None)
        given = next(host.source.find(str, *configured[name].path[:-1], "mac-address"), None)
        if expected and given and expected.value.lower() != given.value.lower():
            yield given.error(
                "mac-contradiction",
                f"{name} has the MAC address {given.value} here and {expected.value} at {expected.where}.",
                "Correct one of the two, or leave mac-address out.",
            )
