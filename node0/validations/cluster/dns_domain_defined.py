"""Is the cluster's base domain given?"""

from __future__ import annotations

from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: ClusterFacts) -> Verdict:
    if domain := facts.cluster.spec.base_dns_domain:
        return success(f"The base domain is {domain}.")
    return failure("No base domain is given.", "Add baseDomain to install-config.yaml.")


VALIDATION = Validation(id="dns-domain-defined", category=Category.NETWORK, gate=Gate.INPUT, check=check)
