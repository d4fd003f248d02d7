"""Which disk a host is installed to: the requested one or the best one; and why the others are not used."""

from __future__ import annotations

from agent.model.disk_choice import in_words, is_named, misfits, order
from agent.model.inventory import Disk
from node0.store.records import HostRecord
from node0.validations.engine import requirements


def refusals(disk: Disk, *, least_bytes: int) -> tuple[str, ...]:
    """Why `disk` cannot be installed to; empty when it can."""
    reasons = disk.installation_eligibility.not_eligible_reasons
    if disk.size_bytes >= least_bytes:
        return reasons
    return (*reasons, f"it has {gb(disk.size_bytes)} GB, {gb(least_bytes)} GB are needed")


def gb(size: int) -> int:
    """Decimal gigabytes, rounded down, as disk vendors count."""
    return size // requirements.GB


def eligible(host: HostRecord, *, least_bytes: int) -> tuple[Disk, ...]:
    """The disks that can be installed to, best first. The order does not depend on the kernel's names of this boot."""
    disks = host.inventory.disks if host.inventory else ()
    fit = (disk for disk in disks if not refusals(disk, least_bytes=least_bytes))
    return tuple(sorted(fit, key=lambda disk: (order(disk), disk.id)))


def requested(host: HostRecord) -> str:
    """The disk that the user requested, in words; empty: none."""
    return host.requested_disk or in_words(host.root_device_hints)


def candidates(host: HostRecord) -> tuple[Disk, ...]:
    """The disks that can be installed to and match the request, best first."""
    usable = eligible(host, least_bytes=_least_bytes(host))
    return tuple(disk for disk in usable if not _mismatch(disk, host))


def installation_disk(host: HostRecord) -> Disk | None:
    """The disk to install `host` to; None when no usable disk matches the request."""
    return next(iter(candidates(host)), None)


def table(host: HostRecord, *, least_bytes: int) -> str:
    """One clause a disk: what it is, whether it can be used, and whether it matches the request."""
    disks = host.inventory.disks if host.inventory else ()
    clauses = (_clause(disk, (*refusals(disk, least_bytes=least_bytes), *_mismatch(disk, host))) for disk in disks)
    return "; ".join(clauses) or "no disks at all"


def _mismatch(disk: Disk, host: HostRecord) -> tuple[str, ...]:
    """Why `disk` does not match the request."""
    if host.requested_disk:
        return () if is_named(disk, host.requested_disk) else (f"it is not {host.requested_disk}",)
    wrong = misfits(disk, host.root_device_hints)
    return (f"it does not fit {', '.join(wrong)}",) if wrong else ()


def _clause(disk: Disk, reasons: tuple[str, ...]) -> str:
    names = ", ".join(dict.fromkeys(name for name in (disk.path, disk.by_path, disk.by_id) if name))
    facts = (
        f"{gb(disk.size_bytes)} GB {disk.drive_type}", disk.vendor, disk.model,
        disk.serial and f"serial {disk.serial}", disk.wwn and f"WWN {disk.wwn}", disk.hctl and f"HCTL {disk.hctl}",
    )  # fmt: skip
    return f"{names} ({', '.join(filter(None, facts))}): {', '.join(reasons) or 'can be used'}"


def _least_bytes(host: HostRecord) -> int:
    return requirements.of(is_control_plane=host.is_control_plane).disk_bytes
