"""Evaluates one host, or the cluster, once: first its validations, and then its state table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import msgspec

from agent.model.states import ClusterStatus, HostStatus, Stage
from node0 import validations
from node0.reconcile.preparation import missing_reports
from node0.reconcile.timers import Timers
from node0.state_machine.cluster import BEFORE, CLUSTER_TRANSITIONS, PREPARING, ClusterCase, ClusterEvent
from node0.state_machine.host import HOST_TRANSITIONS, HostCase, HostEvent
from node0.state_machine.host import PREPARING as PREPARING_HOSTS
from node0.state_machine.transition import Outcome, decide
from node0.store.records import ClusterRecord, Evaluated, HostRecord, Records
from node0.validations.engine.evaluation import evaluate, failing
from node0.validations.engine.facts import ClusterFacts, HostFacts
from node0.validations.engine.identities import IdentityIndex
from node0.validations.engine.ignored import CLUSTER_NEVER_IGNORED, HOST_NEVER_IGNORED, IgnoredIds
from node0.validations.host.peers.belongs_to_majority_group import majority_group

Record = TypeVar("Record", HostRecord, ClusterRecord)


@dataclass
class CommonFacts:
    """Facts about all hosts, which the validations of every host use.

    identities: which hosts share a name or an identity.
    majority: ids of the largest group of approved hosts that all reach each other.
    """

    identities: IdentityIndex
    majority: frozenset[str]


def common_facts(records: Records) -> CommonFacts:
    hosts = records.hosts.values()
    return CommonFacts(IdentityIndex.of(hosts), majority_group([host for host in hosts if host.approved]))


def evaluate_host(host: HostRecord, records: Records, common: CommonFacts, timers: Timers, now: datetime) -> HostRecord:
    """The host after its validations and its state table; the same object when nothing changes."""
    if is_validated(host):
        host = with_validations(host, validations.evaluate_host_validations(host_facts(host, records, common, timers)))
    return refresh_host(host, records, timers, now)


def refresh_host(host: HostRecord, records: Records, timers: Timers, now: datetime) -> HostRecord:
    """`host`, whose validations are up to date, after its state table."""
    return fire_host(HostEvent.REFRESHED, host_case(host, records, timers), now) or host


def is_validated(host: HostRecord) -> bool:
    """Whether the host's validations are evaluated: once its install starts, they keep their last results."""
    return host.status.is_before_install or host.status in PREPARING_HOSTS


def evaluate_cluster(records: Records, timers: Timers, now: datetime) -> ClusterRecord | None:
    """The cluster after its validations and its state table; the same object when nothing changes."""
    cluster = records.cluster
    if cluster is None:
        return None
    if needs_validation(cluster):
        cluster = with_validations(cluster, evaluate(validations.CLUSTER_VALIDATIONS, cluster_facts(cluster, records)))
    return refresh_cluster(cluster, records, timers, now)


def refresh_cluster(cluster: ClusterRecord, records: Records, timers: Timers, now: datetime) -> ClusterRecord:
    """`cluster`, whose validations are up to date, after its state table; `records` give its hosts."""
    validated = msgspec.structs.replace(records, cluster=cluster)
    return fire_cluster(ClusterEvent.REFRESHED, validated, timers, now) or cluster


def needs_validation(cluster: ClusterRecord) -> bool:
    """Whether the cluster's validations are evaluated: once the install runs, they keep their last results."""
    return cluster.status in BEFORE | PREPARING


def host_facts(host: HostRecord, records: Records, common: CommonFacts, timers: Timers) -> HostFacts:
    return HostFacts(
        host=host,
        cluster=records.cluster,
        is_unresponsive=timers.is_unresponsive(host),
        same_identity=common.identities.counts(host),
        peers=tuple(records.hosts[peer] for peer in host.peers if peer in records.hosts),
        majority=common.majority,
    )


def cluster_facts(cluster: ClusterRecord, records: Records) -> ClusterFacts:
    return ClusterFacts(cluster=cluster, hosts=_participants(records))


def host_case(
    host: HostRecord,
    records: Records,
    timers: Timers,
    *,
    stage: Stage | None = None,
    reason: str = "",
    is_same_boot: bool = False,
) -> HostCase:
    """What the conditions of the host's state table may use."""
    return HostCase(
        host=host,
        cluster=records.cluster,
        unresponsive_for=timers.unresponsive_for(host),
        stalled_for=timers.stalled_for(host),
        failing=failing(host.validations, ignored_of_hosts(records.cluster)),
        stage=stage,
        reason=reason,
        is_same_boot=is_same_boot,
        missing_reports=missing_reports(host) if host.status in PREPARING_HOSTS else (),
        limits=timers.limits,
    )


def ignored_of_hosts(cluster: ClusterRecord | None) -> IgnoredIds:
    return IgnoredIds(cluster.ignored_host_validations if cluster else (), HOST_NEVER_IGNORED)


def fire_host(on: HostEvent, case: HostCase, now: datetime) -> HostRecord | None:
    """The host after event `on`; None when its state has no transition for it."""
    outcome = decide(HOST_TRANSITIONS, on=on, at=case.host.status, case=case)
    return None if outcome is None else _with_status(case.host, outcome, now)


def fire_cluster(
    on: ClusterEvent, records: Records, timers: Timers, now: datetime, reason: str = ""
) -> ClusterRecord | None:
    """The cluster after event `on`; None when there is no cluster, or its state has no transition for the event."""
    cluster = records.cluster
    if cluster is None:
        return None
    case = ClusterCase(
        cluster=cluster,
        hosts=_participants(records),
        since=timers.unchanged_for(cluster),
        failing=failing(cluster.validations, IgnoredIds(cluster.ignored_cluster_validations, CLUSTER_NEVER_IGNORED)),
        reason=reason,
        limits=timers.limits,
    )
    outcome = decide(CLUSTER_TRANSITIONS, on=on, at=cluster.status, case=case)
    return None if outcome is None else _with_install_times(_with_status(cluster, outcome, now), now)


def with_validations(record: Record, evaluated: tuple[Evaluated, ...]) -> Record:
    return record if record.validations == evaluated else msgspec.structs.replace(record, validations=evaluated)


def _participants(records: Records) -> tuple[HostRecord, ...]:
    """The hosts that the install waits for: approved, and not late."""
    return tuple(host for host in records.hosts.values() if host.approved and not host.late)


def _with_status(record: Record, outcome: Outcome[HostStatus] | Outcome[ClusterStatus], now: datetime) -> Record:
    if (record.status, record.status_info) == (outcome.to, outcome.why):
        return record
    since = record.status_updated_at if record.status == outcome.to else now
    return msgspec.structs.replace(
        record, status=outcome.to, status_info=outcome.why, status_updated_at=since, updated_at=now
    )


def _with_install_times(cluster: ClusterRecord, now: datetime) -> ClusterRecord:
    if cluster.status is ClusterStatus.INSTALLING and cluster.install_started_at is None:
        return msgspec.structs.replace(cluster, install_started_at=now)
    if cluster.status is ClusterStatus.INSTALLED and cluster.install_completed_at is None:
        return msgspec.structs.replace(cluster, install_completed_at=now)
    return cluster
