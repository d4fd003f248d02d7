"""When the records have to be looked at again although nobody calls."""

from __future__ import annotations

from collections.abc import Iterator

from agent.api.states import ClusterStatus, HostStatus
from node0.lifecycle import limits
from node0.lifecycle.cluster import UNDER_WAY
from node0.lifecycle.host import DISCOVERY, PREPARING, RUNNING, is_past_reboot
from node0.lifecycle.stopwatches import Stopwatches
from node0.store.records import Records

# A deadline is met a little late rather than a little early, or it would have to be met twice.
SLACK = 0.05

# A host that is disconnected already has no silence left to wait for.
_WATCHED = (DISCOVERY | PREPARING) - {HostStatus.DISCONNECTED}


def next_look(records: Records, watches: Stopwatches) -> float:
    """Seconds until the next deadline; never more than the shortest limit, so that none made meanwhile is missed."""
    due = min(_left(records, watches), default=limits.SHORTEST)
    return min(max(due, 0.0) + SLACK, limits.SHORTEST)


def _left(records: Records, watches: Stopwatches) -> Iterator[float]:
    """Seconds left of every limit that still lies ahead."""
    for host in records.hosts.values():
        if host.status in _WATCHED or (host.status in RUNNING and not is_past_reboot(host)):
            yield limits.silence(bootstrap=host.bootstrap) - watches.silent_for(host)
        if host.status in RUNNING:
            reached = host.stage.stage if host.stage else None
            yield limits.stage(reached, host.install_role) - watches.stalled_for(host)
    if records.cluster is None:
        return
    if records.cluster.status is ClusterStatus.PREPARING_FOR_INSTALLATION:
        yield limits.PREPARING - watches.unchanged_for(records.cluster)
    if records.cluster.status is ClusterStatus.FINALIZING:
        yield limits.FINALIZING - watches.unchanged_for(records.cluster)
    if records.cluster.status in UNDER_WAY:
        yield limits.INSTALLATION - watches.unchanged_for(records.cluster)
