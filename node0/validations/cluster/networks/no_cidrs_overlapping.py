"""Are the pod, service and machine networks disjoint?"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from itertools import combinations

from node0.validations.cluster.networks.given import networks_missing
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def _networks(facts: ClusterFacts) -> Iterator[tuple[str, str]]:
    """Kind and CIDR of every network."""
    spec = facts.cluster.spec
    yield from (("cluster", entry.cidr) for entry in spec.cluster_networks)
    yield from (("service", entry.cidr) for entry in spec.service_networks)
    yield from (("machine", entry.cidr) for entry in spec.machine_networks)


def check(facts: ClusterFacts) -> Verdict:
    for (kind, cidr), (other_kind, other) in combinations(_networks(facts), 2):
        first, second = ip_network(cidr), ip_network(other)
        if first.version == second.version and first.overlaps(second):
            return failure(
                f"The {kind} network {cidr} overlaps the {other_kind} network {other}.",
                "Choose networks that do not overlap in install-config.yaml.",
            )
    return success("The networks do not overlap.")


VALIDATION = Validation(
    id="no-cidrs-overlapping",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=networks_missing,
)
