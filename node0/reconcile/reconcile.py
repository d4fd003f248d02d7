"""Reconciles the records: evaluates hosts and cluster in rounds, until a round changes nothing.

`StateManager` reconciles after every change and at every deadline, never periodically.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

import msgspec

from agent.model.states import HostStatus
from node0 import validations
from node0.reconcile import deadlines
from node0.reconcile.evaluate import (
    cluster_facts,
    common_facts,
    evaluate_cluster,
    evaluate_host,
    is_validated,
    needs_validation,
    refresh_cluster,
    refresh_host,
    with_validations,
)
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.peers import Ring, assign_peers
from node0.reconcile.roles import assign_roles
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction
from node0.state_machine.cluster import counted
from node0.store.host_diff import HostDiff, HostDiffs, any_changes, diff_hosts, diff_some, extend
from node0.store.records import ClusterRecord, HostRecord, Records
from node0.validations.engine.evaluation import is_concerned, reevaluate

# More rounds than states: records that still change after them do not converge, which is a bug in the state tables.
MAX_ROUNDS = 30

# Limits are minutes long, so with a cache they are checked at most this often.
LIMITS_CHECK_SECONDS = 1.0


class Reconciled(NamedTuple):
    """`diffs`: the hosts that differ between the records before the change and these."""

    records: Records
    diffs: HostDiffs


def reconcile(records: Records, timers: Timers, now: datetime) -> Records:
    """`records` after all evaluations and transitions that they cause. Unchanged records are the same objects.

    Each round assigns roles and peers, and evaluates every host; once no host changes, it evaluates the cluster.
    Raises RuntimeError if the state tables do not converge within `MAX_ROUNDS`.
    """
    for _ in range(MAX_ROUNDS):
        records = records.with_hosts(assign_roles(records))
        records = records.with_hosts(assign_peers(records.hosts, Ring.of(records.hosts), records.hosts))

        common = common_facts(records)
        evaluated = {id: evaluate_host(host, records, common, timers, now) for id, host in records.hosts.items()}
        if diff_hosts(records.hosts, evaluated):
            records = records.with_hosts(evaluated)
            continue

        cluster = evaluate_cluster(records, timers, now)
        if cluster is records.cluster:
            return records
        records = msgspec.structs.replace(records, cluster=cluster)
    raise RuntimeError(f"the state tables do not converge: {records.cluster}")


def reconcile_change(transaction: Transaction, cache: EvaluationCache) -> Reconciled:
    """As `reconcile`, but evaluates only the hosts that changes since the last use of `cache` may affect."""
    is_next = transaction.before is cache.records  # else the last change was not written
    diffs = transaction.diffs() if is_next else diff_hosts(cache.records.hosts, transaction.records.hosts)
    try:
        records, diffs = _evaluate_affected(transaction, diffs, cache)
    except BaseException:
        cache.clear()  # It may be updated in part.
        raise
    return Reconciled(records, diffs if is_next else diff_hosts(transaction.before.hosts, records.hosts))


def _evaluate_affected(transaction: Transaction, diffs: HostDiffs, cache: EvaluationCache) -> Reconciled:
    """The same rounds as those of `reconcile`. `diffs`, and those returned, begin with the records of the cache."""
    records, timers, now = transaction.records, transaction.timers, transaction.now
    total: HostDiffs = {}
    unseen: HostDiffs = {}  # since the last evaluation of the cluster
    evaluated: dict[str, HostRecord] = {}
    checks_limits = timers.now() - cache.limits_checked_at >= LIMITS_CHECK_SECONDS
    ids = _affected_by_time(records, timers, cache, checks_limits=checks_limits)
    for _ in range(MAX_ROUNDS):
        before = cache.records
        records = cache.update(records, diffs)
        extend(total, diffs)
        extend(unseen, diffs)
        ids |= cache.affected_hosts(before, diffs) | _not_validated_yet(diffs, evaluated)

        known = sorted(ids & records.hosts.keys())
        evaluated = {host.id: refresh_host(host, records, timers, now) for host in _moved(diffs)}
        evaluated |= {id: evaluate_host(records.hosts[id], records, cache.common, timers, now) for id in known}
        diffs, ids = diff_some(records.hosts, evaluated, evaluated), set()
        if diffs:
            records = records.with_hosts(evaluated)
            continue

        cluster = _evaluate_cluster_again(records, unseen, timers, now, cache, checks_limits=checks_limits)
        if cluster is records.cluster:
            return Reconciled(records, total)
        records, unseen = msgspec.structs.replace(records, cluster=cluster), {}
    raise RuntimeError(f"the state tables do not converge: {records.cluster}")


def _affected_by_time(records: Records, timers: Timers, cache: EvaluationCache, *, checks_limits: bool) -> set[str]:
    """Ids of hosts that checked in after a disconnection, or for which a limit passed, since the last check."""
    returned = timers.take_returned()
    cache.unresponsive -= returned
    if not checks_limits:
        return returned
    unresponsive = deadlines.unresponsive(records, timers)
    passed = (unresponsive ^ cache.unresponsive) | deadlines.stalled(records, timers)
    cache.unresponsive, cache.limits_checked_at = unresponsive, timers.now()
    return returned | passed


def _not_validated_yet(diffs: HostDiffs, evaluated: dict[str, HostRecord]) -> set[str]:
    """Ids of changed hosts whose record is not the one that the last round returned, or that it did not validate."""
    return {id for id, diff in diffs.items() if diff.new is not evaluated.get(id) or diff.changes(is_validated)}


def _moved(diffs: HostDiffs) -> Iterator[HostRecord]:
    """The hosts with another status, which has its own transitions. No validation of a host reads the status."""
    return (diff.new for diff in diffs.values() if diff.new is not None and diff.changes(_status))


def _status(host: HostRecord) -> HostStatus:
    return host.status


def _evaluate_cluster_again(
    records: Records, diffs: HostDiffs, timers: Timers, now: datetime, cache: EvaluationCache, *, checks_limits: bool
) -> ClusterRecord | None:
    """`evaluate_cluster`, without the evaluations whose result cannot have changed.

    `diffs`: the changed hosts since the cluster's last evaluation.
    """
    cluster = records.cluster
    if cluster is None:
        return None
    is_changed = cluster is not cache.cluster
    approved = _approved_diffs(diffs)
    validated = _validated_again(cluster, records, approved, is_changed=is_changed)
    after = validated
    if is_changed or checks_limits or validated is not cluster or any_changes(approved, counted):
        after = refresh_cluster(validated, records, timers, now)
    cache.cluster = after if after.status is cluster.status else None
    return after


def _validated_again(
    cluster: ClusterRecord, records: Records, diffs: list[HostDiff], *, is_changed: bool
) -> ClusterRecord:
    """The cluster after its validations; most changes of hosts concern none of them."""
    if not needs_validation(cluster):
        return cluster
    kept = () if is_changed else cluster.validations
    if kept and not is_concerned(validations.CLUSTER_VALIDATIONS, kept, diffs):
        return cluster
    facts = cluster_facts(cluster, records)
    return with_validations(cluster, reevaluate(validations.CLUSTER_VALIDATIONS, facts, kept, diffs))


def _approved_diffs(diffs: HostDiffs) -> list[HostDiff]:
    """`diffs` of approved hosts: a host that becomes approved is a new one, a host that is left out a removed one."""
    approved = (HostDiff(*(host if host and host.approved else None for host in diff)) for diff in diffs.values())
    return [diff for diff in approved if diff.old is not None or diff.new is not None]
