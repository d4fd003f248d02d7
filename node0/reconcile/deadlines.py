"""When the records have to be looked at again although nobody calls."""

from __future__ import annotations

from collections.abc import Iterator

from agent.model.states import ClusterStatus, HostStatus
from node0.reconcile.timers import Stopwatches
from node0.state_machine.cluster import UNDER_WAY
from node0.state_machine.host import DISCOVERY, PREPARING, RUNNING, is_past_reboot
from node0.store.records import HostRecord, Records

# A deadline is met a little late rather than a little early, or it would have to be met twice.
SLACK = 0.05

# A host that is disconnected already has no silence left to wait for.
_WATCHED = (DISCOVERY | PREPARING | {HostStatus.RESETTING}) - {HostStatus.DISCONNECTED}
_WAITS_FOR_USER = frozenset({HostStatus.INSTALLING_PENDING_USER_ACTION, HostStatus.RESETTING_PENDING_USER_ACTION})


def next_look(records: Records, watches: Stopwatches) -> float:
    """Seconds until the next deadline; never more than the shortest limit, so that none made meanwhile is missed."""
    shortest = watches.limits.shortest
    due = min(_left(records, watches), default=shortest)
    return min(max(due, 0.0) + SLACK, shortest)


def silent(records: Records, watches: Stopwatches) -> frozenset[str]:
    """Ids of the hosts that have not called for longer than they may before their reboot."""
    return frozenset(key for key, host in records.hosts.items() if watches.is_silent(host))


def stalled(records: Records, watches: Stopwatches) -> set[str]:
    """Ids of the hosts that have made no progress for longer than they may."""
    return {key for key, host in records.hosts.items() if any(left <= 0 for left in _progress_left(host, watches))}


def _left(records: Records, watches: Stopwatches) -> Iterator[float]:
    """Seconds left of every limit that still lies ahead."""
    for host in records.hosts.values():
        yield from _silence_left(host, watches)
        yield from _progress_left(host, watches)
    cluster, limits = records.cluster, watches.limits
    if cluster is None:
        return
    if cluster.status is ClusterStatus.PREPARING_FOR_INSTALLATION:
        yield limits.preparing - watches.unchanged_for(cluster)
    if cluster.status is ClusterStatus.FINALIZING:
        yield limits.finalizing - watches.unchanged_for(cluster)
    if cluster.status in UNDER_WAY:
        yield limits.installation - watches.unchanged_for(cluster)


def _silence_left(host: HostRecord, watches: Stopwatches) -> Iterator[float]:
    if host.status in _WATCHED or (host.status in RUNNING and not is_past_reboot(host)):
        yield watches.limits.silence_of(bootstrap=host.bootstrap) - watches.silent_for(host)


def _progress_left(host: HostRecord, watches: Stopwatches) -> Iterator[float]:
    limits = watches.limits
    if host.status is HostStatus.PREPARING_FOR_INSTALLATION:
        yield limits.preparing_host - watches.stalled_for(host)
    if host.status in _WAITS_FOR_USER:
        yield limits.user_action - watches.stalled_for(host)
    if host.status in RUNNING:
        reached = host.stage.stage if host.stage else None
        yield limits.stage(reached, host.install_role) - watches.stalled_for(host)
