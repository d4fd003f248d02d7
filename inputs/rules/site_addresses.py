"""Are addresses of hosts, servers and the API such as a host can have, and not those of pods or services?"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from inputs.document.findings import Finding
from inputs.document.source import Place
from inputs.rules.facts import Facts
from inputs.rules.networks import default_networks
from inputs.schema.values import is_address

_CLUSTER = (("networking", "clusterNetwork", ..., "cidr"), ("networking", "serviceNetwork", ...))


def site_addresses_are_hosts(facts: Facts) -> Iterator[Finding]:
    for place in _of_the_site(facts):
        address = ipaddress.ip_address(place.value)
        if address.is_loopback or address.is_multicast or address.is_unspecified:
            rule = f"{address} is no single host's: it is a loopback, multicast or unspecified address."
            yield place.error("address-not-a-host", rule, "Write the address that it has in its network.")


def site_is_outside_of_the_cluster(facts: Facts) -> Iterator[Finding]:
    """What hosts reach at an address of pods or services is out of their reach once the cluster is up."""
    inner = [(place.where, network) for pattern in _CLUSTER for place, network in facts.networks(*pattern)]
    inner += [(f"the default of {name}", network) for name, network in default_networks(facts)]
    machines = [network for _, network in facts.machine_networks]
    for place in _of_the_site(facts):
        address = ipaddress.ip_address(place.value)
        for where, network in inner:
            # Of a machine network as a whole it is told already.
            if address in network and not any(address in own for own in machines):
                yield place.error(
                    "address-in-cluster-network",
                    f"{address} lies in {network} ({where}), whose addresses are the cluster's own.",
                    "Correct the address, or give pods and services networks that are not used at the site.",
                )


def _of_the_site(facts: Facts) -> Iterator[Place[str]]:
    for host in facts.hosts:
        yield from (own.place for own in host.addresses)
        yield from host.find(str, "networkConfig", "dns-resolver", "config", "server", ...)
    yield from facts.install.find(str, "platform", "baremetal", "apiVIPs", ...)
    yield from (source for source in facts.agent.find(str, "additionalNTPSources", ...) if is_address(source.value))
