"""Decides which hosts take part, and when the install starts. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from agent.api.clusters import Cluster
from agent.api.hosts import HostUpdate
from agent.model.intent import ClusterIntent, Role
from agent.model.states import ClusterStatus, HostStatus
from node0.create_cluster.actions import EVENTS_SECONDS, Action, DecideHost, StartInstall, Wait
from node0.create_cluster.actual import Actual
from node0.create_cluster.match import MatchedHost, UnmatchedHost, match

CONTROL_PLANE = frozenset({Role.MASTER})
ALL_ROLES = frozenset({Role.MASTER, Role.WORKER})


def before_install(actual: Actual, cluster: Cluster, intent: ClusterIntent, ready_for: float) -> tuple[Action, ...]:
    """First approve hosts, then start the install; until that is possible, wait. `ready_for`: as for `plan`."""
    matching = match(intent, actual.hosts)
    wait_left = _worker_wait_left(matching.matched, intent, ready_for)
    if decisions := _decisions(matching.matched, wait_is_over=wait_left == 0):
        return decisions
    missing = _missing(matching.matched, intent, ALL_ROLES)
    if cluster.status is ClusterStatus.READY and (not missing or wait_left == 0):
        return (StartInstall(without=missing),)
    seconds = EVENTS_SECONDS if wait_left is None else min(EVENTS_SECONDS, max(1, int(wait_left)))
    return (Wait(_why_wait(cluster, missing, matching.unmatched), seconds),)


def control_plane_is_ready(actual: Actual, intent: ClusterIntent) -> bool:
    """Whether all requested control-plane hosts are approved and known (`HostStatus.KNOWN`)."""
    return not _missing(match(intent, actual.hosts).matched, intent, CONTROL_PLANE)


def _missing(matched: Sequence[MatchedHost], intent: ClusterIntent, roles: AbstractSet[Role]) -> tuple[str, ...]:
    """The requested hosts of `roles` that are not ready: their names, or counts if the inputs list no hosts.

    A host that the inputs do not list replaces none of them, even if a client of the API approved it.
    """
    ready = [found for found in matched if _is_ready(found)]
    if intent.hosts:
        names = {found.intent.hostname for found in ready if found.intent}
        return tuple(host.hostname for host in intent.hosts if host.role in roles and host.hostname not in names)
    present = Counter(found.host.suggested_role for found in ready)
    requested = {Role.MASTER: intent.control_plane_replicas, Role.WORKER: intent.worker_replicas}
    return tuple(
        f"{count - present[role]} of {count} {role}s"
        for role, count in requested.items()
        if role in roles and present[role] < count
    )


def _is_ready(found: MatchedHost) -> bool:
    return found.host.approved and found.host.status is HostStatus.KNOWN


def _worker_wait_left(matched: Sequence[MatchedHost], intent: ClusterIntent, ready_for: float) -> float | None:
    """Seconds left of the wait for workers; None before it has started, and where it has no limit."""
    if intent.worker_wait_minutes is None or _missing(matched, intent, CONTROL_PLANE):
        return None
    return max(0.0, intent.worker_wait_minutes * 60 - ready_for)


def _decisions(matched: Iterable[MatchedHost], *, wait_is_over: bool) -> tuple[DecideHost, ...]:
    """Approve matched hosts. Once the wait for workers is over, approve only ready ones and leave the others out."""
    if not wait_is_over:
        return tuple(approve(found) for found in matched if not found.host.approved)
    found = tuple(matched)
    return tuple(
        [approve(each) for each in found if not each.host.approved and each.host.status is HostStatus.KNOWN]
        + [_leave_out(each) for each in found if each.host.approved and each.host.status is not HostStatus.KNOWN]
    )


def approve(found: MatchedHost) -> DecideHost:
    """The action that makes the host take part, with the role, name and disk hints that the inputs give it."""
    intent = found.intent
    if intent is None:
        return DecideHost(found.host.id, HostUpdate(approved=True), "the inputs list no hosts: all take part")
    body = HostUpdate(
        host_role=intent.role,
        host_name=intent.hostname,
        root_device_hints=intent.root_device_hints,
        approved=True,
    )
    return DecideHost(found.host.id, body, f"it is {intent.hostname} by its MACs")


def _leave_out(found: MatchedHost) -> DecideHost:
    return DecideHost(found.host.id, HostUpdate(approved=False), "it is not ready, and the wait for workers is over")


def _why_wait(cluster: Cluster, missing: Sequence[str], unmatched: Iterable[UnmatchedHost]) -> str:
    not_ready = f"Not ready yet: {', '.join(missing)}. " if missing else ""
    return f"{not_ready}{cluster.status_info}{''.join(f' {_sentence(host)}' for host in unmatched)}"


def _sentence(unmatched: UnmatchedHost) -> str:
    if unmatched.host.approved:
        return f"Host {unmatched.host.id} takes part because a client of the API approved it, but {unmatched.why}."
    return f"Host {unmatched.host.id} is left out: {unmatched.why}."
