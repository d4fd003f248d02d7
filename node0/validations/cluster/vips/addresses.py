"""What makes a virtual address usable: it is in the machine network, and no machine answers for it yet."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from agent.api.clusters import Vip
from node0.validations.engine.facts import ClusterFacts, few
from node0.validations.engine.validation import Verdict, failure, pending, success


def has_vips(facts: ClusterFacts) -> bool:
    """For `Validation.applies`."""
    return bool(facts.cluster.spec.api_vips)


def hosts_missing(facts: ClusterFacts) -> str:
    """For `Validation.waits_for`."""
    return "" if any(host.inventory for host in facts.hosts) else "the hosts"


def verdict(kind: str, vips: tuple[Vip, ...], facts: ClusterFacts) -> Verdict:
    """`kind`: "API" or "ingress"."""
    if wrong := [fault for vip in vips for fault in _faults(vip.ip, kind, facts)]:
        return failure(f"{few(wrong, separator='; ')}.", f"Choose another {kind} address in install-config.yaml.")
    if unprobed := _unprobed(vips, facts):
        return pending(f"Waiting for a host with a NIC in its network to probe {', '.join(unprobed)}.")
    return success(f"The {kind} address is free: {', '.join(vip.ip for vip in vips)}.")


def _faults(vip: str, kind: str, facts: ClusterFacts) -> Iterator[str]:
    spec = facts.cluster.spec
    networks = [ip_network(entry.cidr) for entry in spec.machine_networks]
    home = next((network for network in networks if ip_address(vip) in network), None)
    if networks and home is None:
        yield f"{vip} is not in the machine network {', '.join(map(str, networks))}"
    if home is not None and ip_address(vip) in {home.network_address, home.broadcast_address}:
        yield f"{vip} is the network address or the broadcast address of {home}"
    if kind == "ingress" and vip in {other.ip for other in spec.api_vips}:
        yield f"{vip} is also the API's address"
    for host in facts.hosts:
        if any(answer.vip == vip and answer.verification == "failed" for answer in host.vips):
            yield f"{vip} is in use: another machine answered the probe of {host.label}"


def _unprobed(vips: tuple[Vip, ...], facts: ClusterFacts) -> list[str]:
    """An address is free only if a host in its network has probed it."""
    probed = {answer.vip for host in facts.hosts for answer in host.vips if answer.verification != "unverified"}
    return [vip.ip for vip in vips if vip.ip not in probed]
