"""Does the host resolve the API's name for clients? Shown only: the hosts themselves use addresses."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict
from node0.validations.host.dns import cluster_names


def check(facts: HostFacts) -> Verdict:
    return cluster_names.verdict(facts, "api")


VALIDATION = Validation(
    id="api-domain-name-resolved-correctly",
    category=Category.NETWORK,
    gate=Gate.SHOWN,
    check=check,
    applies=cluster_names.has_reported,
    when=cluster_names.WHEN,
)
