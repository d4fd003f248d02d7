"""What a host has to report between the request to install and the first write of the image."""

from __future__ import annotations

from node0.store.records import HostRecord
from node0.validations.host.disks import disk_selection


def has_disk_speed(host: HostRecord) -> bool:
    """Whether the installation disk was measured, or the measurement was tried."""
    disk = disk_selection.installation_disk(host)
    return disk is not None and host.disk_speed is not None and host.disk_speed.path == disk.path


def unprepared(host: HostRecord) -> tuple[str, ...]:
    """The reports that are still missing, in words."""
    answers = {
        "disk speed": has_disk_speed(host),
        "image store": host.images is not None,
        "user's checks": host.user_checks is not None,
    }
    return tuple(name for name, is_there in answers.items() if not is_there)
