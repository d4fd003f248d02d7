"""Checks whether a host reports that it left something out of its inventory, as with thousands of disks."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, few
from node0.validations.engine.validation import Verdict, failure, success


def check_not_truncated(facts: HostFacts, degree: str, remedy: str) -> Verdict:
    """Fails if the host reports a truncation of type `degree`.

    degree: "partial" (only things that the install does not need are left out) or "full".
    """
    truncation = facts.inventory.truncation
    if truncation is None or truncation.type != degree:
        return success("The inventory has everything that the install needs.")
    return failure(
        f"The inventory was truncated: {few(truncation.reasons, separator='; ') or 'no reason given'}.", remedy
    )
