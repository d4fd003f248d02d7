"""Whether the inventory is complete: a host with thousands of disks leaves some out and reports that it did."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Verdict, failure, success


def verdict(facts: HostFacts, degree: str, remedy: str) -> Verdict:
    """`degree`: the `Truncation.type` that fails, "partial" or "full"."""
    truncation = facts.inventory.truncation
    if truncation is None or truncation.type != degree:
        return success("The inventory has everything that the install needs.")
    return failure(f"The inventory was truncated: {'; '.join(truncation.reasons) or 'no reason given'}.", remedy)
