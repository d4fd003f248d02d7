"""Each disk of a recorded machine: what is on it, and whether the machine would be installed to it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agent.install.layout import Layout
from agent.install.plan import described, plan
from agent.install.probe import DiskContent
from agent.model.problems import Problem, ProblemReport
from node0.store.records import HostRecord
from node0.validations.engine import requirements
from node0.validations.host.disks import disk_selection


class JudgedDisk(msgspec.Struct, frozen=True, kw_only=True):
    """content: a line for each partition, and for data outside partitions; None: not in the record.

    place: 1 is installed to, 2 would be if 1 were not there, and so on; 0: never. why_not: the reasons then.
    """

    path: str
    size_bytes: int
    drive_type: str
    model: str
    partition_table: str
    content: tuple[str, ...] | None
    place: int
    why_not: tuple[str, ...]


def judged_disks(host: HostRecord, contents: Sequence[DiskContent] | None) -> tuple[JudgedDisk, ...]:
    """By node0's choice, the chosen disk first, then in the order of the inventory."""
    least = requirements.of(is_control_plane=host.is_control_plane).disk_bytes
    places = {disk.path: place for place, disk in enumerate(disk_selection.candidates(host), 1)}
    found = {content.path: content for content in contents or ()}
    disks = [
        JudgedDisk(
            path=disk.path,
            size_bytes=disk.size_bytes,
            drive_type=disk.drive_type,
            model=disk.model,
            partition_table=disk.partition_types,
            content=tuple(map(described, found[disk.path].data)) if disk.path in found else None,
            place=places.get(disk.path, 0),
            why_not=disk_selection.reasons_against(disk, host, least_bytes=least),
        )
        for disk in (host.inventory.disks if host.inventory else ())
    ]
    return tuple(sorted(disks, key=lambda disk: disk.place or len(disks) + 1))


def refusal(
    host: HostRecord, contents: Sequence[DiskContent] | None, *, cluster_id: str, consent: bool
) -> ProblemReport | None:
    """Why the install would not write to its disk as it is; None: it would, or the record does not have its content."""
    disk = disk_selection.installation_disk(host)
    content = next((each for each in contents or () if disk and each.path == disk.path), None)
    if content is None:
        return None
    try:
        plan(content, Layout(disk=content.path, cluster_id=cluster_id, host_id=host.id), consent=consent)
    except Problem as problem:
        return problem.report()
    return None
