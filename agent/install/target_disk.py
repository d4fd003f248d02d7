"""The disk that node0 has chosen, looked up again: the inventory that it chose from may be of an earlier boot. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agent.model.disk_choice import disk_lines, is_named
from agent.model.inventory import Disk
from agent.model.problems import Problem


def find_disk(disks: Sequence[Disk], name: str) -> Disk:
    """The disk called `name`: an id of the inventory, a path, or a link below /dev/disk.

    Raises Problem `disk-hint-no-match`.
    """
    for disk in disks:
        if is_named(disk, name):
            return disk
    raise Problem(
        code="disk-hint-no-match",
        title=f"This host has no disk {name} any more.",
        detail=table(disks),
        remedy="Attach the disk again, or choose another one with rootDeviceHints in agent-config.yaml.",
    )


def require_eligible(disk: Disk, disks: Sequence[Disk]) -> None:
    """Raises Problem `disk-not-eligible`, with a table of all `disks` of the host."""
    reasons = disk.installation_eligibility.not_eligible_reasons
    if reasons:
        raise Problem(
            code="disk-not-eligible",
            title=f"{disk.path} cannot be installed to: {'; '.join(reasons)}.",
            detail=table(disks),
            remedy="Choose another disk with rootDeviceHints, or remove the reason.",
        )


def table(disks: Sequence[Disk]) -> str:
    """One line for each disk."""
    lines = disk_lines(disks, lambda disk: disk.installation_eligibility.not_eligible_reasons)
    return "\n".join(lines) or "The host has no disks at all."
