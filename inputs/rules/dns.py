"""Can the hosts ask the DNS servers they are given?"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.rules.facts import Facts, HostFacts
from inputs.rules.interface_facts import INTERFACES


def dns_servers_are_reachable(facts: Facts) -> Iterator[Finding]:
    """Somewhere the server's family must be on; whether the server answers is checked on site."""
    for host in facts.hosts:
        if host.interfaces_have_errors(("ipv4",), ("ipv6",)):
            continue
        families = {family for family in (4, 6) if _is_on(host, family)}
        for server in host.find(str, "networkConfig", "dns-resolver", "config", "server", ...):
            version = ipaddress.ip_address(server.value).version
            if version not in families:
                yield server.error(
                    "dns-unreachable",
                    f"DNS server {server.value}: no interface of {host.name} has IPv{version}.",
                    f"Enable ipv{version} on an interface, or remove the server.",
                )


def _is_on(host: HostFacts, family: int) -> bool:
    return any(enabled.value for enabled in host.find(bool, *INTERFACES, f"ipv{family}", "enabled"))
