"""Are the cluster's networks given? One rule for each kind, as clients know them."""

from __future__ import annotations

from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Rule, Verdict, failure, success


def _verdict(kind: str, field: str, cidrs: list[str]) -> Verdict:
    if cidrs:
        return success(f"The {kind} network is {', '.join(cidrs)}.")
    return failure(f"No {kind} network is given.", f"Add networking.{field} to install-config.yaml.")


def check_cluster(facts: ClusterFacts) -> Verdict:
    return _verdict("cluster", "clusterNetwork", [entry.cidr for entry in facts.cluster.asked.cluster_networks])


def check_service(facts: ClusterFacts) -> Verdict:
    return _verdict("service", "serviceNetwork", [entry.cidr for entry in facts.cluster.asked.service_networks])


def check_machine(facts: ClusterFacts) -> Verdict:
    return _verdict("machine", "machineNetwork", [entry.cidr for entry in facts.cluster.asked.machine_networks])


def missing(facts: ClusterFacts) -> str:
    """For `Rule.waits_for` of rules that compare the networks."""
    asked = facts.cluster.asked
    return "" if asked.cluster_networks and asked.service_networks else "the networks"


def has_own_balancer(facts: ClusterFacts) -> bool:
    """Platform none: the user's own addresses and balancer, so no machine network is needed."""
    return facts.cluster.asked.platform.type == "none"


CLUSTER = Rule(id="cluster-cidr-defined", category=Category.NETWORK, gate=Gate.INPUT, check=check_cluster)
SERVICE = Rule(id="service-cidr-defined", category=Category.NETWORK, gate=Gate.INPUT, check=check_service)
MACHINE = Rule(
    id="machine-cidr-defined",
    category=Category.NETWORK,
    gate=Gate.INPUT,
    check=check_machine,
    applies=lambda facts: not has_own_balancer(facts),
    when="the cluster has another platform than none",
)
