"""Does the machine's platform allow virtual addresses? OpenStack drops packets from addresses it did not assign."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

FORBIDDEN = "OpenStack Compute"


def check(facts: HostFacts) -> Verdict:
    product = facts.inventory.system_vendor.product_name
    if product != FORBIDDEN:
        return success("The machine's platform allows virtual addresses.")
    return failure(f"{product} does not allow virtual addresses.", "Use platform none in install-config.yaml.")


def has_virtual_addresses(facts: HostFacts) -> bool:
    return facts.cluster is not None and bool(facts.cluster.spec.api_vips)


VALIDATION = Validation(
    id="valid-platform-network-settings",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_virtual_addresses,
    when="the cluster has virtual addresses",
    waits_for=inventory_missing,
)
