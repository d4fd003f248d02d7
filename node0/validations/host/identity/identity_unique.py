"""Are machine id and product UUID the host's own? Kubernetes wants both unique; cloned machines have them twice."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Rule, Verdict, failure, success


def _verdict(facts: HostFacts, what: str, value: str, count: int, remedy: str) -> Verdict:
    if not value:
        return success(f"The host tells no {what}.")
    others = count - facts.host.approved
    if others > 0:
        return failure(f"{others} more hosts have the {what} {value}.", remedy)
    return success(f"No other host has the {what} {value}.")


def check_machine_id(facts: HostFacts) -> Verdict:
    remedy = "Start the host again: a live start makes a new one."
    return _verdict(facts, "machine id", facts.inventory.machine_id, facts.shared[1], remedy)


def check_product_uuid(facts: HostFacts) -> Verdict:
    remedy = "Give the machine a UUID of its own in its firmware or hypervisor."
    return _verdict(facts, "product UUID", facts.inventory.system_vendor.product_uuid, facts.shared[2], remedy)


MACHINE_ID = Rule(
    id="machine-id-unique",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check_machine_id,
    waits_for=inventory_missing,
)
PRODUCT_UUID = Rule(
    id="product-uuid-unique",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check_product_uuid,
    waits_for=inventory_missing,
)
