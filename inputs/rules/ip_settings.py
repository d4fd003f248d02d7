"""`ipv4` and `ipv6` of an interface are static, automatic or off, and nothing in between."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path, section_path
from inputs.facts.fields import Fields
from inputs.facts.hosts import INTERFACES, IP, PREFIX_LENGTH, STATIC_ADDRESSES
from inputs.schema.network_config import Address, IpSettings, NmstateInterface

_IPV4 = section_path(NmstateInterface, IpSettings, "ipv4")
_IPV6 = section_path(NmstateInterface, IpSettings, "ipv6")
_AUTOCONF = field_path(NmstateInterface, bool, "ipv6.autoconf")
_ENABLED = field_path(IpSettings, bool, "enabled")
_DHCP = field_path(IpSettings, bool, "dhcp")
_ADDRESS = field_path(IpSettings, list, "address")


def ip_settings_are_clear(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        for interface in host.sections(INTERFACES):
            for ipv4 in interface.sections(_IPV4):
                yield from _contradictions(ipv4, "ipv4", autoconf=False)
            for ipv6 in interface.sections(_IPV6):
                yield from _contradictions(ipv6, "ipv6", autoconf=interface.get(_AUTOCONF, False))
            for version, addresses in zip((4, 6), STATIC_ADDRESSES, strict=True):
                for address in interface.sections(addresses):
                    yield from _is_of_family(address, version)


def _contradictions(settings: Fields[IpSettings], family: str, *, autoconf: bool) -> Iterator[Finding]:
    if settings.has_errors():
        return
    name = family.replace("ip", "IP")
    enabled, addresses = settings.get(_ENABLED, False), settings.get(_ADDRESS, [])
    automatic = settings.get(_DHCP, False) or autoconf
    if not enabled and (automatic or addresses):
        rule = f"{name} has settings here, but is not enabled."
        yield settings.finding(None, f"{family}-not-enabled", rule, "Add enabled: true.")
    if automatic and addresses:
        remedy = "Write dhcp: false for a static address, or remove the address."
        if family == "ipv6":
            remedy = "Write dhcp: false and autoconf: false for a static address, or remove the address."
        rule = "Both an automatic and a static address are requested."
        yield settings.finding(None, f"{family}-contradiction", rule, remedy)
    if family == "ipv4" and enabled and not automatic and not addresses:
        rule = "IPv4 is enabled, but there is no address and no DHCP."
        remedy = "Add `address` with ip and prefix-length, or write dhcp: true or enabled: false."
        yield settings.finding(None, "ipv4-without-address", rule, remedy)


def _is_of_family(address: Fields[Address], version: int) -> Iterator[Finding]:
    for ip in address.find(IP):
        if ipaddress.ip_address(ip.value).version != version:
            rule = f"{ip.value} is not an IPv{version} address."
            yield ip.error("ip-family-wrong", rule, f"Write an IPv{version} address.")
            return
        for length in address.find(PREFIX_LENGTH):
            if version == 4 and length.value > 32:
                yield length.error("prefix-length-invalid", "An IPv4 prefix has at most 32 bits.", "24 is usual.")
