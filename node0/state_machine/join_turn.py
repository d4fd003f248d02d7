"""Which host may join now, and which control plane may enter etcd. Pure.

Hosts join at any time. Control planes enter etcd one at a time, because each changes its quorum: the next one when the
one before it votes. A control plane that dies while it enters blocks the next one until its turn has expired.
"""

from __future__ import annotations

from datetime import datetime

from agent.model.states import STAGES, HostStatus, InstallRole, Stage
from node0.store.records import HostRecord, Records

_BOOTSTRAP_STAGES = STAGES[InstallRole.BOOTSTRAP]
_ENTERS = (None, Stage.CONFIGURING)


def join_obstacle(host: HostRecord, records: Records) -> str:
    """Why `host` cannot join now, in words for its console; empty when it can."""
    if not host.approved or not host.status.is_installing or _reached(host) is not Stage.CONFIGURING:
        return f"{host.label} is {host.status} and has not started from its disk to join"
    if not _control_plane_is_up(records):
        return "waiting for the control plane"
    return ""


def etcd_obstacle(host: HostRecord, records: Records, now: datetime) -> str:
    """Why the control plane `host` cannot enter etcd now, in words for its console; empty when it can."""
    if host.join is None or not host.is_control_plane:
        return f"{host.label} has no credential to join the control plane"
    if why := join_obstacle(host, records):
        return why
    before = {
        other.label: until
        for other in records.hosts.values()
        if other.id != host.id and (until := _turn(other)) is not None and now < until
    }
    if before:
        latest = f"until {max(before.values()):%H:%M:%S} UTC at the latest"
        return f"waiting for {', '.join(before)} to enter etcd first, {latest}"
    return ""


def _reached(host: HostRecord) -> Stage | None:
    return host.stage.stage if host.stage else None


def _control_plane_is_up(records: Records) -> bool:
    bootstrap = next((host for host in records.hosts.values() if host.bootstrap), None)
    if bootstrap is None or bootstrap.stage is None:
        return False
    return _BOOTSTRAP_STAGES.index(bootstrap.stage.stage) >= _BOOTSTRAP_STAGES.index(Stage.WAITING_FOR_CONTROLLER)


def _turn(host: HostRecord) -> datetime | None:
    """When its turn ends at the latest; None where it has none."""
    if host.join is None or host.join.votes or host.status is HostStatus.ERROR or _reached(host) not in _ENTERS:
        return None
    return host.join.enters_etcd_until
