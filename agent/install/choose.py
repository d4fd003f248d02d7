"""Which disk to install to. Pure; a doubt is a refusal with a table of every disk, never a guess."""

from __future__ import annotations

from collections.abc import Iterable

from agent.model.disk_choice import is_named, order
from agent.model.inventory import Disk
from agent.model.problems import Problem


def choose_disk(disks: Iterable[Disk], wanted: str) -> Disk:
    """The disk named `wanted` (/dev/sda, a path below /dev/disk, an id of the inventory), or the default when it is "".

    Raises Problem: `disk-hint-no-match`, `disk-not-eligible`, `no-eligible-disk`, `disk-choice-ambiguous`.
    """
    known = tuple(disks)
    return _named(known, wanted) if wanted else _default(known)


def _named(disks: tuple[Disk, ...], wanted: str) -> Disk:
    disk = find_disk(disks, wanted)
    if not disk.installation_eligibility.eligible:
        raise Problem(
            code="disk-not-eligible",
            title=f"{wanted} cannot be installed to: {_reasons(disk)}.",
            detail=table(disks),
            remedy="Name another disk in rootDeviceHints, or remove what stands in the way.",
        )
    return disk


def find_disk(disks: tuple[Disk, ...], wanted: str) -> Disk:
    """The disk named `wanted`, as for `choose_disk`, whether it can be installed to or not: ours cannot, once mounted.

    Raises Problem: `disk-hint-no-match`.
    """
    for disk in disks:
        if is_named(disk, wanted):
            return disk
    raise Problem(
        code="disk-hint-no-match",
        title=f"This host has no disk {wanted}.",
        detail=table(disks),
        remedy="Correct rootDeviceHints.deviceName in agent-config.yaml, or attach the disk.",
    )


def _default(disks: tuple[Disk, ...]) -> Disk:
    eligible = sorted((disk for disk in disks if disk.installation_eligibility.eligible), key=order)
    if not eligible:
        raise Problem(
            code="no-eligible-disk",
            title="No disk of this host can be installed to.",
            detail=table(disks),
            remedy="Attach a disk, or remove what stands in the way of one of these.",
        )
    first = eligible[0]
    equals = [disk for disk in eligible if order(disk) == order(first)]
    if len(equals) > 1:
        raise Problem(
            code="disk-choice-ambiguous",
            title=f"{len(equals)} disks are equally good: {', '.join(disk.path for disk in equals)}.",
            detail=table(disks),
            remedy="Say which one to use with rootDeviceHints.deviceName in agent-config.yaml.",
        )
    return first


def table(disks: Iterable[Disk]) -> str:
    """One line a disk: path, size, type, model, and why it was refused."""
    lines = [
        f"{disk.path}  {size(disk.size_bytes)}  {disk.drive_type}  {disk.model or '-'}  {_reasons(disk) or 'eligible'}"
        for disk in disks
    ]
    return "\n".join(lines) or "The host has no disks at all."


def size(count: int) -> str:
    """Bytes in the unit that disk makers use: 21.5 GB."""
    return f"{count / 1000**3:.1f} GB"


def _reasons(disk: Disk) -> str:
    return "; ".join(disk.installation_eligibility.not_eligible_reasons)
