"""Is the API's virtual address in the machine network, and is it free?"""

from __future__ import annotations

from node0.validations.cluster.vips import addresses
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict


def check(facts: ClusterFacts) -> Verdict:
    return addresses.verdict("API", facts.cluster.spec.api_vips, facts)


VALIDATION = Validation(
    id="api-vips-valid",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=addresses.has_vips,
    when="the cluster has virtual addresses",
    depends_on=lambda host: (host.vips, host.label),
)
