"""Reconciles the records: evaluates hosts and cluster in rounds, until a round changes nothing.

`StateManager` reconciles after every change and at every deadline, never periodically.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from agent.model.states import HostStatus
from node0 import validations
from node0.reconcile import deadlines
from node0.reconcile.evaluate import (
    cluster_facts,
    common_facts,
    evaluate_cluster,
    evaluate_host,
    needs_validation,
    refresh_cluster,
    with_validations,
)
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.peers import Ring, assign_peers
from node0.reconcile.roles import assign_roles
from node0.reconcile.timers import Timers
from node0.state_machine.cluster import counted
from node0.store.host_diff import HostDiff, HostDiffs, any_changes, diff_hosts
from node0.store.records import ClusterRecord, HostRecord, Records
from node0.validations.engine.evaluation import reevaluate

# More rounds than states: records that still change after them do not converge, which is a bug in the state tables.
MAX_ROUNDS = 30

# Limits are minutes long, so with a cache they are checked at most this often.
LIMITS_CHECK_SECONDS = 1.0


def reconcile(records: Records, timers: Timers, now: datetime, cache: EvaluationCache | None = None) -> Records:
    """`records` after all evaluations and transitions that they cause. Unchanged records are the same objects.

    Without `cache` every host is evaluated. With it, only the hosts that changes since its last use may affect; the
    result is the same. Raises RuntimeError if the state tables do not converge within `MAX_ROUNDS`.
    """
    if cache is None:
        return _evaluate_all(records, timers, now)
    try:
        return _evaluate_affected(records, timers, now, cache)
    except BaseException:
        cache.clear()  # It may be updated in part.
        raise


def _evaluate_all(records: Records, timers: Timers, now: datetime) -> Records:
    """Each round assigns roles and peers, and evaluates every host; once no host changes, it evaluates the cluster."""
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


def _evaluate_affected(records: Records, timers: Timers, now: datetime, cache: EvaluationCache) -> Records:
    """The same rounds as `_evaluate_all`, but they evaluate only the hosts that a change may affect."""
    before_cluster = cache.records  # the records at the last evaluation of the cluster
    diffs = diff_hosts(cache.records.hosts, records.hosts)
    evaluated: dict[str, HostRecord] = {}
    checks_limits = timers.now() - cache.limits_checked_at >= LIMITS_CHECK_SECONDS
    ids = _affected_by_time(records, timers, cache, checks_limits=checks_limits)
    for _ in range(MAX_ROUNDS):
        before = cache.records
        records = cache.update(records, diffs)
        ids |= cache.affected_hosts(before, diffs) | _not_evaluated_yet(diffs, evaluated)

        known = sorted(ids & records.hosts.keys())
        evaluated = {id: evaluate_host(records.hosts[id], records, cache.common, timers, now) for id in known}
        diffs, ids = diff_hosts({id: records.hosts[id] for id in known}, evaluated), set()
        if diffs:
            records = records.with_hosts(evaluated)
            continue

        since = diff_hosts(before_cluster.hosts, records.hosts)
        cluster = _evaluate_cluster_again(records, since, timers, now, cache, checks_limits=checks_limits)
        if cluster is records.cluster:
            return records
        records = before_cluster = msgspec.structs.replace(records, cluster=cluster)
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


def _not_evaluated_yet(diffs: HostDiffs, evaluated: dict[str, HostRecord]) -> set[str]:
    """Ids of changed hosts that the last round did not evaluate in their present state.

    Either their record is not the one that it returned, or it changed their status: a status has its own transitions.
    """
    return {id for id, diff in diffs.items() if diff.new is not evaluated.get(id) or diff.changes(_status)}


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
    validated = cluster
    is_changed = cluster is not cache.cluster
    approved = _approved_diffs(diffs)
    if needs_validation(cluster) and (is_changed or approved):
        kept = () if is_changed else cluster.validations
        facts = cluster_facts(cluster, records)
        validated = with_validations(cluster, reevaluate(validations.CLUSTER_VALIDATIONS, facts, kept, approved))
    after = validated
    if is_changed or checks_limits or validated is not cluster or any_changes(approved, counted):
        after = refresh_cluster(validated, records, timers, now)
    cache.cluster = after if after.status is cluster.status else None
    return after


def _approved_diffs(diffs: HostDiffs) -> list[HostDiff]:
    """`diffs` of approved hosts: a host that becomes approved is a new one, a host that is left out a removed one."""
    approved = (HostDiff(*(host if host and host.approved else None for host in diff)) for diff in diffs.values())
    return [diff for diff in approved if diff.old is not None or diff.new is not None]
