"""Is the pod network (`clusterNetwork`) given?"""

from __future__ import annotations

from node0.validations.cluster.networks import given
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict


def check(facts: ClusterFacts) -> Verdict:
    return given.verdict("cluster", "clusterNetwork", [entry.cidr for entry in facts.cluster.spec.cluster_networks])


VALIDATION = Validation(id="cluster-cidr-defined", category=Category.NETWORK, gate=Gate.INPUT, check=check)
