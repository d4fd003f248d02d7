"""Is all of the network up that the inputs give the host? Shown only: a bond with one cable, or a second network that
comes later, is no reason not to install. What the cluster itself needs is asked by the other validations."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, few, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    problems = facts.inventory.network_problems
    if not problems:
        return success("The host's network is what the inputs say.")
    return failure(
        f"Not all of the network is up: {few(problems)}.",
        "Look at the cable and the switch, or correct networkConfig and make a new ISO.",
    )


VALIDATION = Validation(
    id="network-as-configured",
    category=Category.NETWORK,
    gate=Gate.SHOWN,
    check=check,
    waits_for=inventory_missing,
)
