"""Is swap off? The kubelet does not start with swap on."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.requirements import MIB
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    swap = facts.inventory.memory.swap_bytes
    if not swap:
        return success("The host uses no swap.")
    return failure(f"The host uses {swap // MIB} MiB of swap.", "Run swapoff -a on it.")


VALIDATION = Validation(
    id="swap-off",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    waits_for=inventory_missing,
)
