"""Does the host have a disk that can be installed to, whichever disk the user requested?"""

from __future__ import annotations

from agent.model.disk_choice import gigabytes
from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, error, failure, success
from node0.validations.host.disks import disk_selection


def check(facts: HostFacts) -> Verdict:
    if not facts.inventory.disks:
        return error(
            "The host sees no disk.", "Check that a disk is attached, and whether its controller needs a driver."
        )
    least = facts.needs.disk_bytes
    if fit := disk_selection.eligible(facts.host, least_bytes=least):
        return success(f"{len(fit)} of {len(facts.inventory.disks)} disks can be installed to.")
    return failure(
        f"No disk can be installed to: {disk_selection.table(facts.host, least_bytes=least)}.",
        f"Attach a disk of {gigabytes(least)} GB or more.",
    )


VALIDATION = Validation(
    id="has-min-valid-disks",
    category=Category.HARDWARE,
    gate=Gate.HARDWARE,
    check=check,
    waits_for=inventory_missing,
)
