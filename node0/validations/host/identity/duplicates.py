"""Whether other hosts report an identifier that has to be unique in the cluster."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts
from node0.validations.engine.validation import Verdict, failure, success


def verdict(facts: HostFacts, name: str, value: str, count: int, remedy: str) -> Verdict:
    """`name`: the identifier in words; `count`: how many hosts of the cluster have `value`."""
    if not value:
        return success(f"The host reports no {name}.")
    others = count - facts.host.approved
    if others > 0:
        return failure(f"{others} more hosts have the {name} {value}.", remedy)
    return success(f"No other host has the {name} {value}.")
