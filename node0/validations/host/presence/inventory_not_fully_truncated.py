"""Does the inventory list all disks that the install could use?

A host with thousands of disks may leave some of them out, and reports that it did.
"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict
from node0.validations.host.presence import truncation


def check(facts: HostFacts) -> Verdict:
    return truncation.check_not_truncated(facts, "full", "Detach disks until the inventory can list all that remain.")


VALIDATION = Validation(
    id="inventory-not-fully-truncated",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    waits_for=inventory_missing,
)
