"""Which disk a host is installed to: asked for by the user, or chosen; and why the others are not taken."""

from __future__ import annotations

from agent.api.inventory import Disk
from node0.store.records import HostRecord
from node0.validations import requirements


def refusals(disk: Disk, *, least_bytes: int) -> tuple[str, ...]:
    """Why `disk` cannot be installed to; empty when it can."""
    reasons = disk.installation_eligibility.not_eligible_reasons
    if disk.size_bytes >= least_bytes:
        return reasons
    return (*reasons, f"it has {gb(disk.size_bytes)} GB, {gb(least_bytes)} GB are needed")


def gb(size: int) -> int:
    """Decimal gigabytes, rounded down: how makers of disks count."""
    return size // requirements.GB


def is_meant(disk: Disk, wish: str) -> bool:
    """Whether `wish` (a path, a link below /dev/disk or an id) names `disk`."""
    return wish in {disk.id, disk.path, disk.by_path, disk.by_id}


def eligible(host: HostRecord, *, least_bytes: int) -> tuple[Disk, ...]:
    """The disks that can be installed to, best first: as assisted-service orders them."""
    disks = host.inventory.disks if host.inventory else ()
    fit = (disk for disk in disks if not refusals(disk, least_bytes=least_bytes))
    return tuple(sorted(fit, key=_rank))


def _rank(disk: Disk) -> tuple[bool, bool, str, int, str]:
    return (not disk.bootable, disk.name.startswith("nvme"), disk.drive_type, disk.size_bytes, disk.hctl)


def installation_disk(host: HostRecord) -> Disk | None:
    """The disk to install `host` to; None when the wished one is not there or cannot be used, or none can."""
    candidates = eligible(host, least_bytes=requirements.of(is_control_plane=host.is_control_plane).disk_bytes)
    if host.requested_disk:
        candidates = tuple(disk for disk in candidates if is_meant(disk, host.requested_disk))
    return candidates[0] if candidates else None


def table(host: HostRecord, *, least_bytes: int) -> str:
    """One clause a disk: what it is and whether it could be used."""
    disks = host.inventory.disks if host.inventory else ()
    lines = []
    for disk in disks:
        reasons = ", ".join(refusals(disk, least_bytes=least_bytes)) or "can be used"
        names = ", ".join(name for name in (disk.path, disk.by_path, disk.by_id) if name)
        lines.append(f"{names} ({gb(disk.size_bytes)} GB {disk.model or disk.drive_type}): {reasons}")
    return "; ".join(lines) or "no disks at all"
