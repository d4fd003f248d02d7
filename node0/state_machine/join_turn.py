"""Which host may join now. Pure.

Control planes join one at a time, because each changes etcd's quorum and starts an API server. Workers join at any
time. A control plane that dies blocks the next one until its credential has expired.
"""

from __future__ import annotations

from datetime import datetime

from agent.model.states import STAGES, HostStatus, InstallRole, Stage
from node0.store.records import HostRecord, Records

_BOOTSTRAP_STAGES = STAGES[InstallRole.BOOTSTRAP]
_BEFORE_ITS_API = (None, Stage.CONFIGURING)


def join_obstacle(host: HostRecord, records: Records, now: datetime) -> str:
    """Why `host` cannot join now, in words for its console; empty when it can."""
    if not host.approved or not host.status.is_installing or _reached(host) is not Stage.CONFIGURING:
        return f"{host.label} is {host.status} and has not started from its disk to join"
    if not _control_plane_is_up(records):
        return "waiting for the control plane"
    if host.is_control_plane:
        before = {
            other.label: other.join.expires_at
            for other in records.hosts.values()
            if other.id != host.id and other.join is not None and _is_joining(other, other.join.expires_at, now)
        }
        if before:
            until = f"until {max(before.values()):%H:%M:%S} UTC at the latest"
            return f"waiting for {', '.join(before)} to join the control plane first, {until}"
    return ""


def _reached(host: HostRecord) -> Stage | None:
    return host.stage.stage if host.stage else None


def _control_plane_is_up(records: Records) -> bool:
    bootstrap = next((host for host in records.hosts.values() if host.bootstrap), None)
    if bootstrap is None or bootstrap.stage is None:
        return False
    return _BOOTSTRAP_STAGES.index(bootstrap.stage.stage) >= _BOOTSTRAP_STAGES.index(Stage.WAITING_FOR_CONTROLLER)


def _is_joining(other: HostRecord, expires_at: datetime, now: datetime) -> bool:
    """Whether it may still use its credential for the control plane."""
    return (
        other.is_control_plane
        and other.status is not HostStatus.ERROR
        and now < expires_at
        and _reached(other) in _BEFORE_ITS_API
    )
