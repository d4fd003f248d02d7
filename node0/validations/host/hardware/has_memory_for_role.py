"""Is there enough memory for the role? A control-plane host needs 4 GiB, a worker 2 GiB, less the usual tolerance."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict
from node0.validations.host.hardware.has_min_memory import verdict


def check(facts: HostFacts) -> Verdict:
    return verdict(facts.inventory.memory, facts.needs.memory_bytes, facts.role_words)


VALIDATION = Validation(
    id="has-memory-for-role",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
