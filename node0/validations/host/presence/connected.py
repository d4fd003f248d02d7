"""Has the host checked in recently?"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    if facts.is_unresponsive:
        return failure("The host has stopped checking in.", "Check on its console that it is up and reaches node0.")
    return success("The host checks in regularly.")


VALIDATION = Validation(id="connected", category=Category.NETWORK, gate=Gate.CONNECTION, check=check)
