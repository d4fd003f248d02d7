"""Has the host reported its inventory?"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, pending, success


def check(facts: HostFacts) -> Verdict:
    if facts.has_inventory:
        return success("The host has reported its inventory.")
    return pending("The host has not reported its inventory yet.")


VALIDATION = Validation(id="has-inventory", category=Category.HARDWARE, gate=Gate.CONNECTION, check=check)
