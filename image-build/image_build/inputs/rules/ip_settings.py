"""Does every `ipv4` of an interface say one thing: an address, DHCP, or nothing?"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from image_build.inputs.findings import Finding
from image_build.inputs.rules.facts import Facts
from image_build.inputs.source import Place

_IPV4 = ("hosts", ..., "networkConfig", "interfaces", ..., "ipv4")


def ip_settings_are_clear(facts: Facts) -> Iterator[Finding]:
    for settings in facts.agent.find(dict, *_IPV4):
        if not any(path[: len(settings.path)] == settings.path for path in facts.agent.invalid):
            yield from _contradictions(settings)
    for address in facts.agent.find(str, *_IPV4, "address", ..., "ip"):
        yield from _is_ipv4(address)


def _contradictions(settings: Place[dict[str, object]]) -> Iterator[Finding]:
    enabled, dhcp = settings.value.get("enabled", False), settings.value.get("dhcp", False)
    addresses = settings.value.get("address", [])
    if not enabled and (dhcp or addresses):
        yield settings.error("ipv4-not-enabled", "IPv4 has settings here, but is not enabled.", "Add enabled: true.")
    if dhcp and addresses:
        remedy = "Write dhcp: false for a static address, or remove the address."
        yield settings.error("ipv4-contradiction", "Both DHCP and a static address are asked for.", remedy)
    if enabled and not dhcp and not addresses:
        remedy = "Add `address` with ip and prefix-length, or write dhcp: true or enabled: false."
        yield settings.error("ipv4-without-address", "IPv4 is enabled, but there is no address and no DHCP.", remedy)


def _is_ipv4(address: Place[str]) -> Iterator[Finding]:
    if ipaddress.ip_address(address.value).version != 4:
        yield address.error("ip-family-wrong", f"{address.value} is not an IPv4 address.", "Write an IPv4 address.")
        return
    for length in address.source.find(int, *address.path[:-1], "prefix-length"):
        if length.value > 32:
            yield length.error("prefix-length-invalid", "An IPv4 prefix has at most 32 bits.", "24 is usual.")
