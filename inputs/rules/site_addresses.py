"""The addresses of hosts, servers and the API are unicast, and outside the networks of pods and services."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.facts.facts import CLUSTER_CIDRS, SERVICE_CIDRS, Facts
from inputs.facts.field_path import field_path
from inputs.facts.hosts import DNS_SERVERS
from inputs.schema.agent_config import AgentConfig
from inputs.schema.install_config import InstallConfig
from inputs.schema.values import is_address

_API_VIPS = field_path(InstallConfig, str, "platform.baremetal.apiVIPs[]")
_NTP_SOURCES = field_path(AgentConfig, str, "additionalNTPSources[]")


def site_addresses_are_hosts(facts: Facts) -> Iterator[Finding]:
    for place in _site_addresses(facts):
        address = ipaddress.ip_address(place.value)
        if address.is_loopback or address.is_multicast or address.is_unspecified:
            rule = f"{address} is a loopback, multicast or unspecified address."
            yield place.error("address-not-a-host", rule, "Write the address that the host has in its network.")


def site_is_outside_of_the_cluster(facts: Facts) -> Iterator[Finding]:
    """Hosts cannot reach a server whose address is in the network of pods or services."""
    inner = [(place.where, network) for path in (CLUSTER_CIDRS, SERVICE_CIDRS)
             for place, network in facts.networks(path)]  # fmt: skip
    inner += [(f"the default of {name}", network) for name, network in facts.default_networks()]
    for place in _site_addresses(facts):
        address = ipaddress.ip_address(place.value)
        for where, network in inner:
            # A machine network that overlaps has a finding of its own: `networks_are_disjoint`.
            if address in network and not any(address in own for own in facts.machine_networks):
                yield place.error(
                    "address-in-cluster-network",
                    f"{address} is in {network} ({where}), a network of the cluster itself.",
                    "Correct the address, or choose networks for pods and services that are not used at the site.",
                )


def _site_addresses(facts: Facts) -> Iterator[Place[str]]:
    for host in facts.hosts:
        yield from (own.place for own in host.addresses)
        yield from host.find(DNS_SERVERS)
    yield from facts.install.find(_API_VIPS)
    yield from (source for source in facts.agent.find(_NTP_SOURCES) if is_address(source.value))
