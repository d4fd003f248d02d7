"""Is the machine network given?

Platform none needs no machine network: the user brings the addresses and the load balancer.
"""

from __future__ import annotations

from node0.validations.cluster.networks import given
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict


def check(facts: ClusterFacts) -> Verdict:
    return given.verdict("machine", "machineNetwork", [entry.cidr for entry in facts.cluster.spec.machine_networks])


VALIDATION = Validation(
    id="machine-cidr-defined",
    category=Category.NETWORK,
    gate=Gate.INPUT,
    check=check,
    applies=lambda facts: facts.cluster.spec.platform.type != "none",
    when="the platform is not none",
)
