"""From any records to settled ones: judge and apply the tables until nothing moves. Only the stopwatches remember.

It runs after every change and at every deadline, never on a tick.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TypeVar

import msgspec

from agent.api.states import ClusterStatus, HostStatus, Stage
from node0 import validations
from node0.lifecycle import peers, roles
from node0.lifecycle.cluster import BEFORE, CLUSTER_RULES, PREPARING, ClusterCase, ClusterEvent
from node0.lifecycle.host import HOST_RULES, HostCase, HostEvent
from node0.lifecycle.host import PREPARING as PREPARING_HOSTS
from node0.lifecycle.preparation import unprepared
from node0.lifecycle.stopwatches import Stopwatches
from node0.lifecycle.surroundings import (
    FULL_LOOK_SECONDS,
    Surroundings,
    changed,
    concerned,
    concerns_others,
    surroundings,
)
from node0.lifecycle.table import Outcome, decide
from node0.store.records import ClusterRecord, HostRecord, Judged, Records
from node0.validations.facts import ClusterFacts, HostFacts
from node0.validations.rule import failing, judge
from node0.validations.waivers import CLUSTER_NEVER, HOST_NEVER, Waived

Record = TypeVar("Record", HostRecord, ClusterRecord)

# More rounds than states: what has not settled by then goes in circles, and that is a bug in the tables.
MAX_ROUNDS = 30


def settle(records: Records, watches: Stopwatches, now: datetime) -> Records:
    """What `records` lead to by themselves. Unchanged records come back as the same objects."""
    for _ in range(MAX_ROUNDS):
        settled = _round(records, watches, now)
        if settled == records:
            return records
        records = settled
    raise RuntimeError(f"the state tables go in circles: {records.cluster}")


def host_case(
    host: HostRecord, records: Records, watches: Stopwatches, *, stage: Stage | None = None, reason: str = ""
) -> HostCase:
    """The facts that the host's state table judges by."""
    return HostCase(
        host=host,
        cluster=records.cluster,
        silent_for=watches.silent_for(host),
        stalled_for=watches.stalled_for(host),
        failing=failing(host.validations, waived_of_hosts(records.cluster)),
        stage=stage,
        reason=reason,
        unprepared=unprepared(host) if host.status in PREPARING_HOSTS else (),
        limits=watches.limits,
    )


def waived_of_hosts(cluster: ClusterRecord | None) -> Waived:
    return Waived(cluster.ignored_host_validations if cluster else (), HOST_NEVER)


def fire_host(on: HostEvent, case: HostCase, now: datetime) -> HostRecord | None:
    """The host after `on`; None when its state does not listen to that."""
    outcome = decide(HOST_RULES, on=on, at=case.host.status, case=case)
    return None if outcome is None else _moved(case.host, outcome, now)


def fire_cluster(
    on: ClusterEvent, records: Records, watches: Stopwatches, now: datetime, reason: str = ""
) -> ClusterRecord | None:
    """The cluster after `on`; None when there is none, or its state does not listen to that."""
    if records.cluster is None:
        return None
    case = ClusterCase(
        cluster=records.cluster,
        hosts=_participants(records),
        since=watches.unchanged_for(records.cluster),
        failing=failing(
            records.cluster.validations, Waived(records.cluster.ignored_cluster_validations, CLUSTER_NEVER)
        ),
        reason=reason,
        limits=watches.limits,
    )
    outcome = decide(CLUSTER_RULES, on=on, at=records.cluster.status, case=case)
    return None if outcome is None else _stamped(_moved(records.cluster, outcome, now), now)


def _round(records: Records, watches: Stopwatches, now: datetime) -> Records:
    """Once over the hosts that something has changed for, and over the cluster."""
    before = watches.surroundings
    moved = changed(records.hosts, before)
    if concerns_others(records, moved, before) or before is None or _asked(records) != _asked(before.of):
        records = msgspec.structs.replace(records, hosts=peers.assign(roles.assign(records)))
        moved = changed(records.hosts, before)
    here = surroundings(records, before, moved, watches.now())
    ids = concerned(here, before, moved) | watches.take_heard()
    if watches.now() - here.looked_at >= FULL_LOOK_SECONDS:
        here = replace(here, looked_at=watches.now())
        ids = set(records.hosts)
    watches.surroundings = here
    again = {key: _refreshed(records.hosts[key], here, watches, now) for key in records.hosts if key in ids}
    records = msgspec.structs.replace(records, hosts={**records.hosts, **again})
    return msgspec.structs.replace(records, cluster=_refreshed_cluster(records, watches, now))


def _asked(records: Records) -> tuple[object, ...]:
    """What beside the hosts themselves gives them roles."""
    return (records.infra_env, records.cluster.asked if records.cluster else None)


def _refreshed(host: HostRecord, here: Surroundings, watches: Stopwatches, now: datetime) -> HostRecord:
    judged = host
    if host.status.is_before_install or host.status in PREPARING_HOSTS:
        judged = _judged(host, validations.judge_host(facts_of(host, here, watches)))
    return fire_host(HostEvent.REFRESHED, host_case(judged, here.of, watches), now) or judged


def facts_of(host: HostRecord, here: Surroundings, watches: Stopwatches) -> HostFacts:
    """What the validations of `host` may know."""
    hosts = here.of.hosts
    return HostFacts(
        host=host,
        cluster=here.of.cluster,
        is_silent=watches.is_silent(host),
        shared=here.census.shared(host),
        peers=tuple(hosts[peer] for peer in host.peers if peer in hosts),
        majority=here.majority,
    )


def _refreshed_cluster(records: Records, watches: Stopwatches, now: datetime) -> ClusterRecord | None:
    cluster = records.cluster
    if cluster is not None and cluster.status in BEFORE | PREPARING:
        facts = ClusterFacts(cluster=cluster, hosts=_participants(records))
        cluster = _judged(cluster, judge(validations.CLUSTER_RULES, facts))
        records = msgspec.structs.replace(records, cluster=cluster)
    return fire_cluster(ClusterEvent.REFRESHED, records, watches, now) or cluster


def _participants(records: Records) -> tuple[HostRecord, ...]:
    return tuple(host for host in records.hosts.values() if host.approved and not host.late)


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
