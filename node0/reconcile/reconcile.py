"""From any records to reconciled ones: evaluate hosts and cluster until nothing changes any more.

`StateManager` reconciles after every change and at every deadline, never on a tick.
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
    is_validated,
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

# More rounds than states: records that still change by then go in circles, and that is a bug in the state tables.
MAX_ROUNDS = 30

# Limits are minutes: the cached evaluation does not check more often than this whether one has passed.
LIMITS_SECONDS = 1.0


def reconcile(records: Records, timers: Timers, now: datetime, cache: EvaluationCache | None = None) -> Records:
    """What `records` lead to by themselves. Unchanged records come back as the same objects.

    Without `cache` every host is evaluated. With it only those are that a change since its last use can affect, which
    leads to the same records. Raises RuntimeError when the state tables go in circles.
    """
    if cache is None:
        return _evaluate_all(records, timers, now)
    try:
        return _evaluate_affected(records, timers, now, cache)
    except BaseException:
        cache.clear()  # it is half way between two states of the records
        raise


def _evaluate_all(records: Records, timers: Timers, now: datetime) -> Records:
    """In rounds: assign roles and peers, evaluate every host; when no host changes any more, evaluate the cluster."""
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
    raise RuntimeError(f"the state tables go in circles: {records.cluster}")


def _evaluate_affected(records: Records, timers: Timers, now: datetime, cache: EvaluationCache) -> Records:
    """The same rounds, in which only the hosts are evaluated that something has changed for."""
    at_last_cluster = cache.records  # as they were when the cluster was evaluated last
    diffs = diff_hosts(cache.records.hosts, records.hosts)
    evaluated: dict[str, HostRecord] = {}
    checks_limits = timers.now() - cache.limits_checked_at >= LIMITS_SECONDS
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

        since = diff_hosts(at_last_cluster.hosts, records.hosts)
        cluster = _evaluate_cluster_again(records, since, timers, now, cache, checks_limits=checks_limits)
        if cluster is records.cluster:
            return records
        records = at_last_cluster = msgspec.structs.replace(records, cluster=cluster)
    raise RuntimeError(f"the state tables go in circles: {records.cluster}")


def _affected_by_time(records: Records, timers: Timers, cache: EvaluationCache, *, checks_limits: bool) -> set[str]:
    """Ids of the hosts that have checked in after a disconnection, or that a limit has passed for, since last time."""
    returned = timers.take_returned()
    cache.unresponsive -= returned
    if not checks_limits:
        return returned
    unresponsive = deadlines.unresponsive(records, timers)
    passed = (unresponsive ^ cache.unresponsive) | deadlines.stalled(records, timers)
    cache.unresponsive, cache.limits_checked_at = unresponsive, timers.now()
    return returned | passed


def _not_evaluated_yet(diffs: HostDiffs, evaluated: dict[str, HostRecord]) -> set[str]:
    """Ids of the changed hosts that are not as the last round left them, or that have left a status in it."""
    return {id for id, diff in diffs.items() if diff.new is not evaluated.get(id) or diff.changes(_status)}


def _status(host: HostRecord) -> HostStatus:
    return host.status


def _evaluate_cluster_again(
    records: Records, diffs: HostDiffs, timers: Timers, now: datetime, cache: EvaluationCache, *, checks_limits: bool
) -> ClusterRecord | None:
    """`evaluate_cluster`, without what cannot have another result. `diffs`: since the cluster was evaluated last."""
    cluster = records.cluster
    if cluster is None:
        return None
    validated = cluster
    is_other = cluster is not cache.cluster
    approved = _among_approved(diffs)
    if is_validated(cluster) and (is_other or approved):
        kept = () if is_other else cluster.validations
        facts = cluster_facts(cluster, records)
        validated = with_validations(cluster, reevaluate(validations.CLUSTER_VALIDATIONS, facts, kept, approved))
    after = validated
    if is_other or checks_limits or validated is not cluster or any_changes(approved, counted):
        after = refresh_cluster(validated, records, timers, now)
    cache.cluster = after if after.status is cluster.status else None
    return after


def _among_approved(diffs: HostDiffs) -> list[HostDiff]:
    """`diffs` as they look to the cluster, which sees approved hosts only."""
    approved = (HostDiff(*(host if host and host.approved else None for host in diff)) for diff in diffs.values())
    return [diff for diff in approved if diff.old is not None or diff.new is not None]
