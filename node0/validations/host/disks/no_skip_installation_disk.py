"""Is the installation disk none of the disks that must stay untouched? An install writes to its own disk only."""

from __future__ import annotations

from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Validation, Verdict, failure, success
from node0.validations.host.disks import disk_selection
from node0.validations.host.disks.untouched import WHEN, has_untouched_disks, names_of


def check(facts: HostFacts) -> Verdict:
    disk = disk_selection.installation_disk(facts.host)
    if disk is None or not (names := names_of(disk, facts)):
        return success("The installation disk is none of the disks that must stay untouched.")
    return failure(
        f"The host would be installed to {disk.path}, but {', '.join(names)} must stay untouched.",
        "Choose another installation disk, or allow this one to be formatted.",
    )


VALIDATION = Validation(
    id="no-skip-installation-disk",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check,
    applies=has_untouched_disks,
    when=WHEN,
    waits_for=inventory_missing,
)
