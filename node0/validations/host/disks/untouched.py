"""Disks that the user wants to keep as they are (`skip_formatting`). An install writes to its own disk only."""

from __future__ import annotations

from agent.model.disk_choice import is_named
from agent.model.inventory import Disk
from node0.validations.engine.facts import HostFacts

WHEN = "the user has marked disks to be left untouched"


def has_untouched_disks(facts: HostFacts) -> bool:
    """For `Validation.applies`."""
    return bool(facts.host.untouched_disks)


def names_of(disk: Disk, facts: HostFacts) -> list[str]:
    """The names of untouched disks that are names of `disk`."""
    return [name for name in facts.host.untouched_disks if is_named(disk, name)]
