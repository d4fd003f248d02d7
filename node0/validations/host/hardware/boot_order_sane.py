"""Does the firmware try a disk before the network?

An installed host that boots from the network loads the live system, which starts the disk. So each boot takes minutes,
and needs the server. The ISO may come first: its boot loader starts the disk. BIOS does not report its boot order.
"""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success


def check(facts: HostFacts) -> Verdict:
    order = facts.inventory.boot.boot_order
    if not order:
        return success("The firmware does not report its boot order.")
    first = next((entry for entry in order if entry.kind in {"disk", "network"}), order[0])
    if first.kind != "network":
        return success(f"The firmware tries {first.name} first.")
    return failure(
        f"The firmware tries the network first: {first.name}.",
        "Put a disk first in the boot order: else each boot loads the live system before it starts the disk.",
    )


VALIDATION = Validation(
    id="boot-order-sane",
    category=Category.HARDWARE,
    gate=Gate.SHOWN,
    check=check,
    waits_for=inventory_missing,
)
