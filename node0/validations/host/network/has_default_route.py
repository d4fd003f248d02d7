"""Does the host have a default route? Kubernetes chooses a node's address by it."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success

DESTINATIONS = ("0.0.0.0", "::")


def check(facts: HostFacts) -> Verdict:
    for route in facts.inventory.routes:
        if route.destination in DESTINATIONS:
            return success(f"The default route leaves through {route.interface}, gateway {route.gateway or 'none'}.")
    return failure("The host has no default route.", "Add one to routes.config in the host's networkConfig.")


VALIDATION = Validation(
    id="has-default-route",
    category=Category.NETWORK,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
