"""Is the whole network up that the inputs configure for the host?

Shown only: a bond with one cable, or a second network that is not there yet, does not prevent an install. Other
validations check what the cluster needs.
"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, few, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    problems = facts.inventory.network_problems
    if not problems:
        return success("The host's network is up as configured.")
    return failure(
        f"Parts of the network are not up: {few(problems)}.",
        "Check the cable and the switch, or correct networkConfig and create a new ISO.",
    )


VALIDATION = Validation(
    id="network-as-configured",
    category=Category.NETWORK,
    gate=Gate.SHOWN,
    check=check,
    waits_for=inventory_missing,
)
