"""Is the host's name unique among the hosts that take part?"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, pending, success


def check(facts: HostFacts) -> Verdict:
    name = facts.host.hostname
    if not name:
        return pending("Waiting for the inventory.")
    others = facts.same_identity.hostname - facts.host.approved
    if others > 0:
        return failure(f"{others} more hosts are called {name}.", "Set a different hosts[].hostname for each.")
    return success(f"No other host is called {name}.")


VALIDATION = Validation(id="hostname-unique", category=Category.HARDWARE, gate=Gate.SUFFICIENT, check=check)
