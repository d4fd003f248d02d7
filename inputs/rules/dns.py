"""A host has addresses of the IP family of each of its DNS servers."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.facts.facts import Facts
from inputs.facts.field_path import field_path
from inputs.facts.hosts import DNS_SERVERS, INTERFACES, IPV4, IPV6, HostFacts
from inputs.schema.network_config import NmstateInterface

_ENABLED = {
    4: field_path(NmstateInterface, bool, "ipv4.enabled"),
    6: field_path(NmstateInterface, bool, "ipv6.enabled"),
}


def dns_servers_are_reachable(facts: Facts) -> Iterator[Finding]:
    """Some interface must have the family enabled. Whether a server answers, a validation finds out on site."""
    for host in facts.hosts:
        if host.interfaces_have_errors(IPV4, IPV6):
            continue
        families = {family for family in _ENABLED if _is_enabled(host, family)}
        for server in host.find(DNS_SERVERS):
            version = ipaddress.ip_address(server.value).version
            if version not in families:
                yield server.error(
                    "dns-unreachable",
                    f"DNS server {server.value}: no interface of {host.name} has IPv{version}.",
                    f"Enable ipv{version} on an interface, or remove the server.",
                )


def _is_enabled(host: HostFacts, family: int) -> bool:
    return any(place.value for each in host.sections(INTERFACES) for place in each.find(_ENABLED[family]))
