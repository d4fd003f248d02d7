"""Do the hosts share the given machine network, and is the API's virtual address in it?"""

from __future__ import annotations

from ipaddress import ip_address, ip_interface

from node0.store.records import HostRecord
from node0.validations.cluster.vips.addresses import has_vips, hosts_missing
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: ClusterFacts) -> Verdict:
    vips = [ip_address(vip.ip) for vip in facts.cluster.spec.api_vips]
    found = {
        str(network)
        for host in facts.hosts
        for address in _addresses(host) or ()
        if any(vip in (network := ip_interface(address).network) for vip in vips)
    }
    given = {entry.cidr for entry in facts.cluster.spec.machine_networks}
    if found & given:
        return success(f"The hosts share the machine network {', '.join(sorted(found & given))}.")
    return failure(
        f"The machine network is given as {', '.join(sorted(given))}, but the hosts that share a network with the "
        f"virtual address are in {', '.join(sorted(found)) or 'none'}.",
        "Correct networking.machineNetwork or apiVIPs in install-config.yaml.",
    )


def _addresses(host: HostRecord) -> tuple[str, ...] | None:
    """None: not reported yet."""
    if host.inventory is None:
        return None
    return tuple(address for nic in host.inventory.interfaces for address in nic.ipv4_addresses + nic.ipv6_addresses)


VALIDATION = Validation(
    id="machine-cidr-equals-to-calculated-cidr",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_vips,
    when="the cluster has virtual addresses",
    waits_for=hosts_missing,
    depends_on=_addresses,
)
