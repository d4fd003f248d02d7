"""The reports that a host must send after the install is requested and before it writes the image."""

from __future__ import annotations

from node0.store.records import HostRecord
from node0.validations.host.disks import disk_selection


def has_disk_speed(host: HostRecord) -> bool:
    """Whether the host has measured its installation disk; an attempt that failed counts, too."""
    disk = disk_selection.installation_disk(host)
    return disk is not None and host.disk_speed is not None and host.disk_speed.path == disk.path


def missing_reports(host: HostRecord) -> tuple[str, ...]:
    """Names of the reports that are still missing ("disk speed"); empty: the host is prepared."""
    is_reported = {
        "disk speed": has_disk_speed(host),
        "image store": host.images is not None,
        "user's checks": host.user_checks is not None,
    }
    return tuple(name for name, reported in is_reported.items() if not reported)
