"""Is the ingress address in the machine network, is it free, and is it not the API's address?

cluster0 installs no ingress controller, so the address is optional.
"""

from __future__ import annotations

from node0.validations.cluster.vips import addresses
from node0.validations.engine.facts import ClusterFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict


def check(facts: ClusterFacts) -> Verdict:
    return addresses.verdict("ingress", facts.cluster.spec.ingress_vips, facts)


VALIDATION = Validation(
    id="ingress-vips-valid",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=lambda facts: bool(facts.cluster.spec.ingress_vips),
    when="an ingress address is given",
    depends_on=lambda host: (host.vips, host.label),
)
