"""Does the inventory list everything that the host has?

A host with thousands of disks leaves out some that the install does not need, and reports that it did.
"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict
from node0.validations.host.presence import truncation


def check(facts: HostFacts) -> Verdict:
    return truncation.check_not_truncated(facts, "partial", "Detach the devices that the install does not need.")


VALIDATION = Validation(
    id="inventory-not-partially-truncated",
    category=Category.HARDWARE,
    gate=Gate.SHOWN,
    check=check,
    waits_for=inventory_missing,
)
