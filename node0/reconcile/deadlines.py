"""When the records have to be reconciled again although no request changes them."""

from __future__ import annotations

from collections.abc import Iterator

from agent.model.states import ClusterStatus, HostStatus
from node0.reconcile.timers import Timers
from node0.state_machine.cluster import UNDER_WAY
from node0.state_machine.host import DISCOVERY, PREPARING, RUNNING, is_past_reboot
from node0.store.records import HostRecord, Records

# Seconds after the deadline: an early wake-up would find that no limit has passed, and would have to be repeated.
SLACK = 0.05

# Statuses in which a missing check-in leads to another status.
_EXPECTED_TO_CHECK_IN = (DISCOVERY | PREPARING | {HostStatus.RESETTING}) - {HostStatus.DISCONNECTED}
_WAITS_FOR_USER = frozenset({HostStatus.INSTALLING_PENDING_USER_ACTION, HostStatus.RESETTING_PENDING_USER_ACTION})


def next_deadline(records: Records, timers: Timers) -> float:
    """Seconds until the next deadline; at most the shortest limit, so that none that starts meanwhile is missed."""
    shortest = timers.limits.shortest
    due = min(_left(records, timers), default=shortest)
    return min(max(due, 0.0) + SLACK, shortest)


def unresponsive(records: Records, timers: Timers) -> frozenset[str]:
    """Ids of the hosts that have not checked in for longer than is allowed before their reboot."""
    return frozenset(key for key, host in records.hosts.items() if timers.is_unresponsive(host))


def stalled(records: Records, timers: Timers) -> set[str]:
    """Ids of the hosts that have made no progress for longer than is allowed."""
    return {key for key, host in records.hosts.items() if any(left <= 0 for left in _progress_left(host, timers))}


def _left(records: Records, timers: Timers) -> Iterator[float]:
    """Seconds left of every limit that runs."""
    for host in records.hosts.values():
        yield from _unresponsive_left(host, timers)
        yield from _progress_left(host, timers)
    cluster, limits = records.cluster, timers.limits
    if cluster is None:
        return
    if cluster.status is ClusterStatus.PREPARING_FOR_INSTALLATION:
        yield limits.preparing - timers.unchanged_for(cluster)
    if cluster.status is ClusterStatus.FINALIZING:
        yield limits.finalizing - timers.unchanged_for(cluster)
    if cluster.status in UNDER_WAY:
        yield limits.installation - timers.unchanged_for(cluster)


def _unresponsive_left(host: HostRecord, timers: Timers) -> Iterator[float]:
    if host.status in _EXPECTED_TO_CHECK_IN or (host.status in RUNNING and not is_past_reboot(host)):
        yield timers.limits.disconnection_limit(bootstrap=host.bootstrap) - timers.unresponsive_for(host)


def _progress_left(host: HostRecord, timers: Timers) -> Iterator[float]:
    limits = timers.limits
    if host.status is HostStatus.PREPARING_FOR_INSTALLATION:
        yield limits.preparing_host - timers.stalled_for(host)
    if host.status in _WAITS_FOR_USER:
        yield limits.user_action - timers.stalled_for(host)
    if host.status in RUNNING:
        reached = host.stage.stage if host.stage else None
        yield limits.stage(reached, host.install_role) - timers.stalled_for(host)
