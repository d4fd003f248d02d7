"""The events of a change of records. Their names and words are assisted-service's, which tools look for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from agent.api.events import Event
from agent.api.timestamps import rfc3339
from agent.model.bounds import shortened
from agent.model.states import ClusterStatus, EventSeverity, HostStatus, ValidationStatus
from node0.cause import REQUEST_ID
from node0.store.host_diff import HostDiffs
from node0.store.records import ClusterRecord, Evaluated, HostRecord, Records

_HOST_SEVERITY = {
    HostStatus.DISCONNECTED: EventSeverity.WARNING,
    HostStatus.INSUFFICIENT: EventSeverity.WARNING,
    HostStatus.INSTALLING_PENDING_USER_ACTION: EventSeverity.WARNING,
    HostStatus.RESETTING_PENDING_USER_ACTION: EventSeverity.WARNING,
    HostStatus.ERROR: EventSeverity.ERROR,
}
_CLUSTER_SEVERITY = {
    ClusterStatus.INSTALLING_PENDING_USER_ACTION: EventSeverity.WARNING,
    ClusterStatus.ERROR: EventSeverity.CRITICAL,
}
# Longer than any message that is meant to be read. Hosts choose their names and errors themselves.
MAX_MESSAGE = 8000  # characters

_BAD = frozenset({ValidationStatus.FAILURE, ValidationStatus.ERROR})


def new_event(
    name: str,
    message: str,
    *,
    now: datetime,
    severity: EventSeverity = EventSeverity.INFO,
    cluster: ClusterRecord | None = None,
    host: HostRecord | None = None,
) -> Event:
    """An event that has no id yet: the store gives it one."""
    return Event(
        id=0,
        name=name,
        severity=severity,
        message=shortened(message, MAX_MESSAGE),
        event_time=rfc3339(now),
        cluster_id=cluster.id if cluster else "",
        infra_env_id=host.infra_env_id if host else "",
        host_id=host.id if host else "",
        request_id=REQUEST_ID.get(),
    )


def events_between(before: Records, after: Records, diffs: HostDiffs, now: datetime) -> Iterator[Event]:
    """The events that the difference between `before` and `after` makes by itself; `diffs`: of their hosts."""
    for id in _in_order(diffs, after):
        old, host = diffs[id]
        if old is not None and host is not None:
            yield from _host_events(old, host, after.cluster, now)
    if before.cluster is not None and after.cluster is not None and after.cluster is not before.cluster:
        yield from _cluster_events(before.cluster, after.cluster, now)


def _in_order(diffs: HostDiffs, records: Records) -> Iterable[str]:
    """Ids of the hosts in `diffs`, in the order of their registration."""
    return diffs if len(diffs) <= 1 else (id for id in records.hosts if id in diffs)


def _host_events(old: HostRecord, host: HostRecord, cluster: ClusterRecord | None, now: datetime) -> Iterator[Event]:
    for name, severity, words in _flips("host", old.validations, host.validations):
        yield new_event(name, f"Host {host.label}: {words}", now=now, severity=severity, cluster=cluster, host=host)
    if host.bootstrap and not old.bootstrap:
        yield new_event(
            "host_bootstrap_set", f"Host {host.label}: set as bootstrap", now=now, cluster=cluster, host=host
        )
    if host.status is not old.status:
        words = f"Host {host.label}: updated status from {old.status} to {host.status} ({host.status_info})"
        severity = _HOST_SEVERITY.get(host.status, EventSeverity.INFO)
        yield new_event("host_status_updated", words, now=now, severity=severity, cluster=cluster, host=host)


def _cluster_events(old: ClusterRecord, cluster: ClusterRecord, now: datetime) -> Iterator[Event]:
    for name, severity, words in _flips("cluster", old.validations, cluster.validations):
        yield new_event(name, f"Cluster {cluster.spec.name}: {words}", now=now, severity=severity, cluster=cluster)
    if cluster.status is old.status:
        return
    words = f"Updated status of the cluster to {cluster.status} ({cluster.status_info})"
    severity = _CLUSTER_SEVERITY.get(cluster.status, EventSeverity.INFO)
    yield new_event("cluster_status_updated", words, now=now, severity=severity, cluster=cluster)
    if cluster.status is ClusterStatus.INSTALLED:
        yield new_event(
            "cluster_installation_completed", "Successfully completed installing cluster", now=now, cluster=cluster
        )


def _flips(
    kind: str, old: tuple[Evaluated, ...], new: tuple[Evaluated, ...]
) -> Iterator[tuple[str, EventSeverity, str]]:
    """(event name, severity, message) for every validation that began to fail or succeeds again."""
    before = {item.result.id: item.result.status for item in old}
    for item in new:
        verdict = item.result
        was_bad, is_bad = before.get(verdict.id) in _BAD, verdict.status in _BAD
        if is_bad and not was_bad:
            words = f"validation '{verdict.id}' fails: {verdict.message} {verdict.remedy}".strip()
            yield f"{kind}_validation_failed", EventSeverity.WARNING, words
        if was_bad and not is_bad:
            yield f"{kind}_validation_fixed", EventSeverity.INFO, f"validation '{verdict.id}' is now fixed"
