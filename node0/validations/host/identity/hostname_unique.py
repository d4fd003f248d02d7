"""Is no other host that takes part called the same?"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, pending, success


def check(facts: HostFacts) -> Verdict:
    name = facts.host.hostname
    if not name:
        return pending("Waiting for the inventory.")
    others = facts.same_identity.hostname - facts.host.approved
    if others > 0:
        return failure(f"{others} more hosts are called {name}.", "Give each its own hosts[].hostname.")
    return success(f"No other host is called {name}.")


VALIDATION = Validation(id="hostname-unique", category=Category.HARDWARE, gate=Gate.SUFFICIENT, check=check)
