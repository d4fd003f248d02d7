"""Has the host called lately?"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    if facts.is_unresponsive:
        return failure("The host does not call any more.", "See its console: is it up, and does it reach node0?")
    return success("The host calls regularly.")


VALIDATION = Validation(id="connected", category=Category.NETWORK, gate=Gate.CONNECTION, check=check)
