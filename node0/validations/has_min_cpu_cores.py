"""Are there CPUs enough for the role?"""

from __future__ import annotations

from node0.validations.facts import HostFacts
from node0.validations.rule import Category, Gate, Rule, Verdict, failure, pending, success


def check(facts: HostFacts) -> Verdict:
    if not facts.has_inventory:
        return pending("Waiting for the inventory.")
    found, needed = facts.inventory.cpu.count, facts.needs.cpu_cores
    words = f"{facts.role_words} needs {needed}."
    if found >= needed:
        return success(f"The host has {found} CPU cores; {words}")
    return failure(f"The host has {found} CPU cores; {words}", "Give the machine more cores, or another role.")


RULE = Rule(id="has-min-cpu-cores", category=Category.HARDWARE, gate=Gate.HARDWARE, check=check)
