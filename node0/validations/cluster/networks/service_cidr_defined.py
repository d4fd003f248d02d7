"""Is the service network given?"""

from __future__ import annotations

from node0.validations.cluster.networks import given
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict


def check(facts: ClusterFacts) -> Verdict:
    return given.verdict("service", "serviceNetwork", [entry.cidr for entry in facts.cluster.spec.service_networks])


VALIDATION = Validation(id="service-cidr-defined", category=Category.NETWORK, gate=Gate.INPUT, check=check)
