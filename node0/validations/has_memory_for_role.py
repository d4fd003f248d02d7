"""Is there memory enough for the role? A control-plane host needs 4 GiB, a worker 2; as much is forgiven as for any."""

from __future__ import annotations

from node0.validations.facts import HostFacts, inventory_missing
from node0.validations.has_min_memory import verdict
from node0.validations.rule import Category, Gate, Rule, Verdict


def check(facts: HostFacts) -> Verdict:
    return verdict(facts.inventory.memory, facts.needs.memory_bytes, facts.role_words)


RULE = Rule(
    id="has-memory-for-role",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
