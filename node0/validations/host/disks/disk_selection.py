"""Which disk a host is installed to: the requested one or the best one; and why the others are not used."""

from __future__ import annotations

from agent.model.disk_choice import disk_lines, gigabytes, in_words, is_named, misfits, order
from agent.model.inventory import Disk
from node0.store.records import HostRecord
from node0.validations.engine import requirements
from node0.validations.engine.facts import few

# A storage server has as many.
_SHOWN_DISKS = 64


def refusals(disk: Disk, *, least_bytes: int) -> tuple[str, ...]:
    """Why `disk` cannot be installed to; empty when it can."""
    reasons = disk.installation_eligibility.not_eligible_reasons
    if disk.size_bytes >= least_bytes:
        return reasons
    return (*reasons, f"it has {gigabytes(disk.size_bytes)} GB, {gigabytes(least_bytes)} GB are needed")


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
    lines = disk_lines(disks, lambda disk: reasons_against(disk, host, least_bytes=least_bytes))
    return few(lines, separator="; ", most=_SHOWN_DISKS) or "no disks at all"


def reasons_against(disk: Disk, host: HostRecord, *, least_bytes: int) -> tuple[str, ...]:
    """Why `host` is not installed to `disk`; empty when it can be used and matches the request."""
    return (*refusals(disk, least_bytes=least_bytes), *_mismatch(disk, host))


def _mismatch(disk: Disk, host: HostRecord) -> tuple[str, ...]:
    """Why `disk` does not match the request."""
    if host.requested_disk:
        return () if is_named(disk, host.requested_disk) else (f"it is not {host.requested_disk}",)
    wrong = misfits(disk, host.root_device_hints)
    return (f"it does not match {', '.join(wrong)}",) if wrong else ()


def _least_bytes(host: HostRecord) -> int:
    return requirements.of(is_control_plane=host.is_control_plane).disk_bytes
