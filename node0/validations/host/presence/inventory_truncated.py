"""Is the inventory whole? A host with thousands of disks leaves some out, and says so."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Rule, Verdict, failure, success


def _verdict(facts: HostFacts, type_: str, remedy: str) -> Verdict:
    truncation = facts.inventory.truncation
    if truncation is None or truncation.type != type_:
        return success("The inventory has what the install needs.")
    return failure(f"The inventory was shortened: {'; '.join(truncation.reasons) or 'no reason given'}.", remedy)


def check_partial(facts: HostFacts) -> Verdict:
    return _verdict(facts, "partial", "Detach what the install does not need.")


def check_full(facts: HostFacts) -> Verdict:
    return _verdict(facts, "full", "Detach disks until the host can list those that are left.")


PARTIALLY = Rule(
    id="inventory-not-partially-truncated",
    category=Category.HARDWARE,
    gate=Gate.SHOWN,
    check=check_partial,
    waits_for=inventory_missing,
)
FULLY = Rule(
    id="inventory-not-fully-truncated",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check_full,
    waits_for=inventory_missing,
)
