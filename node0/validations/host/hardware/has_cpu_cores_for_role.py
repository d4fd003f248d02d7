"""Are there enough CPU cores for the role? A control-plane host needs 2, a worker 1."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict
from node0.validations.host.hardware.has_min_cpu_cores import verdict


def check(facts: HostFacts) -> Verdict:
    return verdict(facts.inventory.cpu.count, facts.needs.cpu_cores, facts.role_words)


VALIDATION = Validation(
    id="has-cpu-cores-for-role",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
