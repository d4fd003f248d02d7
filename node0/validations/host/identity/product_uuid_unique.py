"""Is the host's product UUID unique? Kubernetes requires it; cloned machines share one."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict
from node0.validations.host.identity import duplicates

REMEDY = "Give the machine its own UUID in its firmware or hypervisor."


def check(facts: HostFacts) -> Verdict:
    uuid = facts.inventory.system_vendor.product_uuid
    return duplicates.verdict(facts, "product UUID", uuid, facts.same_identity.product_uuid, REMEDY)


VALIDATION = Validation(
    id="product-uuid-unique",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
