"""Does every `ipv4` and `ipv6` of an interface say one thing: addresses, asking the network, or nothing?"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts
from inputs.rules.interface_facts import INTERFACES

_FAMILIES = {"ipv4": 4, "ipv6": 6}


def ip_settings_are_clear(facts: Facts) -> Iterator[Finding]:
    for family, version in _FAMILIES.items():
        at = (*INTERFACES, family)
        for host in facts.hosts:
            for settings in host.find(dict, *at):
                if not settings.source.has_errors(settings.path):
                    yield from _contradictions(settings, family)
            for address in host.find(str, *at, "address", ..., "ip"):
                yield from _is_of_family(address, version)


def _contradictions(settings: Place[dict[str, object]], family: str) -> Iterator[Finding]:
    name = family.replace("ip", "IP")
    enabled, addresses = settings.value.get("enabled", False), settings.value.get("address", [])
    asks = settings.value.get("dhcp", False) or settings.value.get("autoconf", False)
    if not enabled and (asks or addresses):
        yield settings.error(f"{family}-not-enabled", f"{name} has settings here, but is not enabled.",
                             "Add enabled: true.")  # fmt: skip
    if asks and addresses:
        remedy = "Write dhcp: false for a static address, or remove the address."
        if family == "ipv6":
            remedy = "Write dhcp: false and autoconf: false for a static address, or remove the address."
        rule = "Both an automatic and a static address are asked for."
        yield settings.error(f"{family}-contradiction", rule, remedy)
    if family == "ipv4" and enabled and not asks and not addresses:
        remedy = "Add `address` with ip and prefix-length, or write dhcp: true or enabled: false."
        yield settings.error("ipv4-without-address", "IPv4 is enabled, but there is no address and no DHCP.", remedy)


def _is_of_family(address: Place[str], version: int) -> Iterator[Finding]:
    if ipaddress.ip_address(address.value).version != version:
        yield address.error("ip-family-wrong", f"{address.value} is not an IPv{version} address.",
                            f"Write an IPv{version} address.")  # fmt: skip
        return
    for length in address.source.find(int, *address.path[:-1], "prefix-length"):
        if version == 4 and length.value > 32:
            yield length.error("prefix-length-invalid", "An IPv4 prefix has at most 32 bits.", "24 is usual.")
