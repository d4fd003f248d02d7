"""Are there enough CPU cores for any role?"""

from __future__ import annotations

from node0.validations.engine import requirements
from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    return verdict(facts.inventory.cpu.count, requirements.ANY_ROLE.cpu_cores, "any host")


def verdict(found: int, needed: int, role: str) -> Verdict:
    words = f"The host has {found} CPU cores; {role} needs {needed}."
    return success(words) if found >= needed else failure(words, "Give the machine more cores, or another role.")


VALIDATION = Validation(
    id="has-min-cpu-cores",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    waits_for=inventory_missing,
)
