"""Is DNS free of a wildcard for the cluster's domain? A wildcard answers for every name that pods look up."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success
from node0.validations.host.dns.cluster_names import UNDEFINED_LABEL, WHEN, addresses, domain, has_reported


def check(facts: HostFacts) -> Verdict:
    assert facts.cluster is not None
    own = domain(facts.cluster)
    name = f"{UNDEFINED_LABEL}.{own}"
    if found := addresses(facts, name) or addresses(facts, f"{name}."):
        return failure(f"DNS answers {', '.join(found)} for any name below {own}.", f"Remove the wildcard *.{own}.")
    return success(f"DNS has no wildcard for {own}.")


VALIDATION = Validation(
    id="dns-wildcard-not-configured",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_reported,
    when=WHEN,
)
