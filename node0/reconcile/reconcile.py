"""From any records to settled ones: judge and apply the tables until nothing moves. Only the stopwatches remember.

It runs after every change and at every deadline, never on a tick.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

import msgspec

from agent.model.states import ClusterStatus, HostStatus, Stage
from node0 import validations
from node0.reconcile import deadlines
from node0.reconcile.evaluation_cache import Surroundings
from node0.reconcile.preparation import unprepared
from node0.reconcile.timers import Timers
from node0.state_machine.cluster import BEFORE, CLUSTER_TRANSITIONS, PREPARING, ClusterCase, ClusterEvent, counted
from node0.state_machine.host import HOST_TRANSITIONS, HostCase, HostEvent
from node0.state_machine.host import PREPARING as PREPARING_HOSTS
from node0.state_machine.transition import Outcome, decide
from node0.store.host_diff import HostDiff, HostDiffs, any_changes, diff_hosts
from node0.store.records import ClusterRecord, HostRecord, Judged, Records
from node0.validations.engine.facts import ClusterFacts, HostFacts
from node0.validations.engine.validation import failing, judge_again
from node0.validations.engine.waivers import CLUSTER_NEVER, HOST_NEVER, Waived

Record = TypeVar("Record", HostRecord, ClusterRecord)

# More rounds than states: what has not settled by then goes in circles, and that is a bug in the tables.
MAX_ROUNDS = 30

# Limits are minutes: whether one has passed is looked at so often at most.
LOOK_SECONDS = 1.0


def reconcile(records: Records, timers: Timers, now: datetime) -> Records:
    """What `records` lead to by themselves. Unchanged records come back as the same objects."""
    try:
        return _settled(records, timers, now)
    except BaseException:
        timers.surroundings = Surroundings()  # it was left half way
        raise


def _settled(records: Records, timers: Timers, now: datetime) -> Records:
    """Round and round over the hosts that something has changed for; over the cluster, when they stand still."""
    here = timers.surroundings
    seen, step, judged = here.of, diff_hosts(here.of.hosts, records.hosts), dict[str, HostRecord]()
    looks = timers.now() - here.looked_at >= LOOK_SECONDS
    ids = timers.take_returned()
    here.silent -= ids
    if looks:
        ids |= _late(records, timers)
    for _ in range(MAX_ROUNDS):
        before = here.of
        records = here.follow(records, step)
        ids |= here.concerned(before, step)
        ids |= {key for key, move in step.items() if move.new is not judged.get(key) or move.changes(_status)}
        judged = {key: _refreshed(records.hosts[key], timers, now) for key in sorted(ids & records.hosts.keys())}
        step, ids = diff_hosts({key: records.hosts[key] for key in judged}, judged), set()
        if step:
            records = msgspec.structs.replace(records, hosts={**records.hosts, **judged})
            continue
        cluster = _refreshed_cluster(records, diff_hosts(seen.hosts, records.hosts), timers, now, looks=looks)
        if cluster is records.cluster:
            return records
        records = seen = msgspec.structs.replace(records, cluster=cluster)
    raise RuntimeError(f"the state tables go in circles: {records.cluster}")


def _late(records: Records, timers: Timers) -> set[str]:
    """Ids of the hosts that a limit has passed for since this was asked last."""
    here, silent = timers.surroundings, deadlines.silent(records, timers)
    ids = set(silent ^ here.silent) | deadlines.stalled(records, timers)
    here.silent, here.looked_at = silent, timers.now()
    return ids


def _status(host: HostRecord) -> HostStatus:
    return host.status


def host_case(
    host: HostRecord,
    records: Records,
    timers: Timers,
    *,
    stage: Stage | None = None,
    reason: str = "",
    is_same_boot: bool = False,
) -> HostCase:
    """The facts that the host's state table judges by."""
    return HostCase(
        host=host,
        cluster=records.cluster,
        unresponsive_for=timers.unresponsive_for(host),
        stalled_for=timers.stalled_for(host),
        failing=failing(host.validations, waived_of_hosts(records.cluster)),
        stage=stage,
        reason=reason,
        is_same_boot=is_same_boot,
        unprepared=unprepared(host) if host.status in PREPARING_HOSTS else (),
        limits=timers.limits,
    )


def waived_of_hosts(cluster: ClusterRecord | None) -> Waived:
    return Waived(cluster.ignored_host_validations if cluster else (), HOST_NEVER)


def fire_host(on: HostEvent, case: HostCase, now: datetime) -> HostRecord | None:
    """The host after `on`; None when its state does not listen to that."""
    outcome = decide(HOST_TRANSITIONS, on=on, at=case.host.status, case=case)
    return None if outcome is None else _moved(case.host, outcome, now)


def fire_cluster(
    on: ClusterEvent, records: Records, timers: Timers, now: datetime, reason: str = ""
) -> ClusterRecord | None:
    """The cluster after `on`; None when there is none, or its state does not listen to that."""
    if records.cluster is None:
        return None
    case = ClusterCase(
        cluster=records.cluster,
        hosts=_participants(records),
        since=timers.unchanged_for(records.cluster),
        failing=failing(
            records.cluster.validations, Waived(records.cluster.ignored_cluster_validations, CLUSTER_NEVER)
        ),
        reason=reason,
        limits=timers.limits,
    )
    outcome = decide(CLUSTER_TRANSITIONS, on=on, at=records.cluster.status, case=case)
    return None if outcome is None else _stamped(_moved(records.cluster, outcome, now), now)


def _refreshed(host: HostRecord, timers: Timers, now: datetime) -> HostRecord:
    here, judged = timers.surroundings, host
    if host.status.is_before_install or host.status in PREPARING_HOSTS:
        judged = _judged(host, validations.judge_host(facts_of(host, here, timers)))
    return fire_host(HostEvent.REFRESHED, host_case(judged, here.of, timers), now) or judged


def facts_of(host: HostRecord, here: Surroundings, timers: Timers) -> HostFacts:
    """What the validations of `host` may know."""
    hosts = here.of.hosts
    return HostFacts(
        host=host,
        cluster=here.of.cluster,
        is_unresponsive=timers.is_unresponsive(host),
        shared=here.census.shared(host),
        peers=tuple(hosts[peer] for peer in host.peers if peer in hosts),
        majority=here.majority,
    )


def _refreshed_cluster(
    records: Records, moved: HostDiffs, timers: Timers, now: datetime, *, looks: bool
) -> ClusterRecord | None:
    """`moved`: the hosts that are others than when this was done last. `looks`: a limit may have passed."""
    here, cluster = timers.surroundings, records.cluster
    if cluster is None:
        return None
    participants, anew, judged = _taking_part(moved), cluster is not here.cluster, cluster
    if cluster.status in BEFORE | PREPARING and (anew or participants):
        facts = ClusterFacts(cluster=cluster, hosts=_participants(records))
        before = () if anew else cluster.validations
        judged = _judged(cluster, judge_again(validations.CLUSTER_RULES, facts, before, participants))
    after = judged
    if anew or looks or judged is not cluster or any_changes(participants, counted):
        records = msgspec.structs.replace(records, cluster=judged)
        after = fire_cluster(ClusterEvent.REFRESHED, records, timers, now) or judged
    here.cluster = after if after.status is cluster.status else None
    return after


def _participants(records: Records) -> tuple[HostRecord, ...]:
    return tuple(host for host in records.hosts.values() if host.approved and not host.late)


def _taking_part(moved: HostDiffs) -> list[HostDiff]:
    """Of `moved`, as it is seen by who sees approved hosts only."""
    seen = (HostDiff(*(host if host and host.approved else None for host in move)) for move in moved.values())
    return [move for move in seen if move.old is not None or move.new is not None]


def _judged(record: Record, judged: tuple[Judged, ...]) -> Record:
    return record if record.validations == judged else msgspec.structs.replace(record, validations=judged)


def _moved(record: Record, outcome: Outcome[HostStatus] | Outcome[ClusterStatus], now: datetime) -> Record:
    if (record.status, record.status_info) == (outcome.to, outcome.why):
        return record
    since = record.status_updated_at if record.status == outcome.to else now
    return msgspec.structs.replace(
        record, status=outcome.to, status_info=outcome.why, status_updated_at=since, updated_at=now
    )


def _stamped(cluster: ClusterRecord, now: datetime) -> ClusterRecord:
    """The times that clients read off a cluster."""
    if cluster.status is ClusterStatus.INSTALLING and cluster.install_started_at is None:
        return msgspec.structs.replace(cluster, install_started_at=now)
    if cluster.status is ClusterStatus.INSTALLED and cluster.install_completed_at is None:
        return msgspec.structs.replace(cluster, install_completed_at=now)
    return cluster
