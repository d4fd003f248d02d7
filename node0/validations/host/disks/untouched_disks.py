"""Are the disks that must stay as they are there, and is none of them going to be installed to? An install writes to no
other disk than its own, so that is all there is to see to."""

from __future__ import annotations

from agent.model.disk_choice import is_named
from agent.model.inventory import Disk
from node0.validations.engine import disks
from node0.validations.engine.facts import HostFacts, inventory_missing
from node0.validations.engine.validation import Category, Gate, Rule, Verdict, failure, success


def check_installation_disk(facts: HostFacts) -> Verdict:
    disk = disks.installation_disk(facts.host)
    if disk is None or not (names := _names(facts, disk)):
        return success("The disk that is installed to is none of those that must stay as they are.")
    return failure(
        f"The host would be installed to {disk.path}, but {', '.join(names)} must stay as it is.",
        "Choose another disk to install to, or let this one be formatted.",
    )


def check_missing_disk(facts: HostFacts) -> Verdict:
    known = {name for disk in facts.inventory.disks for name in _names(facts, disk)}
    missing = [name for name in facts.host.untouched_disks if name not in known]
    if not missing:
        return success("Every disk that must stay as it is, is there.")
    return failure(
        f"The host has no disk {', '.join(missing)}, which must stay as it is.",
        "Name the disk as the inventory does, or see why it is not there.",
    )


def _names(facts: HostFacts, disk: Disk) -> list[str]:
    """Of the disks that must stay as they are, those that are this one."""
    return [name for name in facts.host.untouched_disks if is_named(disk, name)]


def _are_given(facts: HostFacts) -> bool:
    return bool(facts.host.untouched_disks)


WHEN = "disks are given whose formatting is skipped"

INSTALLATION_DISK = Rule(
    id="no-skip-installation-disk",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check_installation_disk,
    applies=_are_given,
    when=WHEN,
    waits_for=inventory_missing,
)
MISSING_DISK = Rule(
    id="no-skip-missing-disk",
    category=Category.HARDWARE,
    gate=Gate.SUFFICIENT,
    check=check_missing_disk,
    applies=_are_given,
    when=WHEN,
    waits_for=inventory_missing,
)
