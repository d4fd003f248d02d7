"""What a host has answered to its checks, as clients get it: JSON documents inside strings, empty until it has told."""

from __future__ import annotations

import msgspec

from agent.api.checks import DiskInfo, DiskSpeedState, DomainReply
from node0.store.records import DiskSpeed, HostRecord


def connectivity(record: HostRecord) -> str:
    """What the host sees of the others."""
    return _json(record.connectivity) if record.connectivity else ""


def resolutions(record: HostRecord) -> str:
    return "" if record.resolutions is None else _json(DomainReply(resolutions=record.resolutions))


def images(record: HostRecord) -> str:
    return "" if record.images is None else _json(record.images)


def disks(record: HostRecord) -> str:
    """Of the disk that was measured, or could not be."""
    speed = record.disk_speed
    return (
        "" if speed is None else _json({speed.path: DiskInfo(id=speed.path, path=speed.path, disk_speed=_state(speed))})
    )


def _state(speed: DiskSpeed) -> DiskSpeedState:
    if speed.reply is None:
        return DiskSpeedState(tested=True, exit_code=1)
    return DiskSpeedState(tested=True, speed_ms=speed.reply.io_sync_duration)


def _json(answer: object) -> str:
    return msgspec.json.encode(answer).decode()
