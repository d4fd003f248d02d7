"""Are the virtual addresses given, in the machine network, different from each other, and nobody's yet?

Needed on platform baremetal with more than one control-plane host, where keepalived moves the API's address. There is
no ingress of ours, so its address is optional.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import ip_address, ip_network

from agent.api.clusters import Vip
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Rule, Verdict, failure, pending, success


def has_vips(facts: ClusterFacts) -> bool:
    return bool(facts.cluster.asked.api_vips)


def hosts_missing(facts: ClusterFacts) -> str:
    return "" if any(host.inventory for host in facts.hosts) else "the hosts"


def needs_api_vip(facts: ClusterFacts) -> bool:
    asked = facts.cluster.asked
    return asked.platform.type != "none" and asked.control_plane_count > 1


def check_defined(facts: ClusterFacts) -> Verdict:
    if vips := facts.cluster.asked.api_vips:
        return success(f"The API's virtual address is {', '.join(vip.ip for vip in vips)}.")
    return failure("No virtual address is given for the API.", "Add platform.baremetal.apiVIPs to install-config.yaml.")


def _valid(kind: str, given: Callable[[ClusterFacts], tuple[Vip, ...]]) -> Callable[[ClusterFacts], Verdict]:
    def check(facts: ClusterFacts) -> Verdict:
        wrong = [fault for vip in given(facts) for fault in _faults(vip.ip, kind, facts)]
        if wrong:
            return failure(f"{'; '.join(wrong)}.", f"Choose another {kind} address in install-config.yaml.")
        if untold := _untold(given(facts), facts):
            return pending(f"Waiting for a host with a NIC in its network to ask for {', '.join(untold)}.")
        return success(f"The {kind} address is free: {', '.join(vip.ip for vip in given(facts))}.")

    return check


def _faults(vip: str, kind: str, facts: ClusterFacts) -> Iterator[str]:
    asked = facts.cluster.asked
    networks = [ip_network(entry.cidr) for entry in asked.machine_networks]
    home = next((network for network in networks if ip_address(vip) in network), None)
    if networks and home is None:
        yield f"{vip} is not in the machine network {', '.join(map(str, networks))}"
    if home is not None and ip_address(vip) in {home.network_address, home.broadcast_address}:
        yield f"{vip} is the network's own or its broadcast address"
    if kind == "ingress" and vip in {other.ip for other in asked.api_vips}:
        yield f"{vip} is the API's address too"
    for host in facts.hosts:
        if any(answer.vip == vip and answer.verification == "failed" for answer in host.vips):
            yield f"{vip} is in use: somebody answers {host.label}"


def _untold(vips: tuple[Vip, ...], facts: ClusterFacts) -> list[str]:
    """Somebody next door has to have asked for an address before it can be called free."""
    told = {answer.vip for host in facts.hosts for answer in host.vips if answer.verification != "unverified"}
    return [vip.ip for vip in vips if vip.ip not in told]


def _api(facts: ClusterFacts) -> tuple[Vip, ...]:
    return facts.cluster.asked.api_vips


def _ingress(facts: ClusterFacts) -> tuple[Vip, ...]:
    return facts.cluster.asked.ingress_vips


API_DEFINED = Rule(
    id="api-vips-defined",
    category=Category.NETWORK,
    gate=Gate.INPUT,
    check=check_defined,
    applies=needs_api_vip,
    when="platform baremetal with more than one control-plane host",
)
API_VALID = Rule(
    id="api-vips-valid",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=_valid("API", _api),
    applies=has_vips,
    when="the cluster has virtual addresses",
    looks_at=lambda host: (host.vips, host.label),
)
INGRESS_VALID = Rule(
    id="ingress-vips-valid",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=_valid("ingress", _ingress),
    applies=lambda facts: bool(_ingress(facts)),
    when="an ingress address is given",
    looks_at=lambda host: (host.vips, host.label),
)
