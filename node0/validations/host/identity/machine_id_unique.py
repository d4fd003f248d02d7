"""Is the host's machine id unique? Kubernetes requires it; cloned machines share one."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict
from node0.validations.host.identity import duplicates

REMEDY = "Reboot the host: each live start generates a new one."


def check(facts: HostFacts) -> Verdict:
    return duplicates.verdict(facts, "machine id", facts.inventory.machine_id, facts.same_identity.machine_id, REMEDY)


VALIDATION = Validation(
    id="machine-id-unique",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
