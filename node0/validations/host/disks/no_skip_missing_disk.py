"""Does the host have every disk that must stay untouched? A disk that is not there cannot be protected."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success
from node0.validations.host.disks.untouched import WHEN, has_untouched_disks, names_of


def check(facts: HostFacts) -> Verdict:
    known = {name for disk in facts.inventory.disks for name in names_of(disk, facts)}
    missing = [name for name in facts.host.untouched_disks if name not in known]
    if not missing:
        return success("The host has every disk that must stay untouched.")
    return failure(
        f"The host has no disk {', '.join(missing)}, which must stay untouched.",
        "Use a name of the disk from the inventory, or find out why the host does not see it.",
    )


VALIDATION = Validation(
    id="no-skip-missing-disk",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_untouched_disks,
    when=WHEN,
    waits_for=inventory_missing,
)
