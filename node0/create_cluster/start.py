"""Who takes part, and when the install starts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from agent.api.clusters import Cluster
from agent.api.hosts import HostUpdate
from agent.model.intent import ClusterIntent, HostIntent, Role
from agent.model.states import ClusterStatus, HostStatus
from node0.create_cluster.actions import EVENTS_SECONDS, Action, DecideHost, StartInstall, Wait
from node0.create_cluster.actual import Actual
from node0.create_cluster.match import Matched, Stranger, match

CONTROL_PLANE = frozenset({Role.MASTER})
EVERYBODY = frozenset({Role.MASTER, Role.WORKER})


def control_plane_is_ready(actual: Actual, intent: ClusterIntent) -> bool:
    return not _missing(match(intent, actual.hosts), intent, CONTROL_PLANE)


def before_install(actual: Actual, cluster: Cluster, intent: ClusterIntent, ready_for: float) -> tuple[Action, ...]:
    """`ready_for`: seconds since the control plane is ready."""
    matches = match(intent, actual.hosts)
    patience = _patience_left(actual, intent, ready_for)
    if decisions := _decisions(matches, is_over=patience == 0):
        return decisions
    missing = _missing(matches, intent, EVERYBODY)
    if cluster.status is ClusterStatus.READY and (not missing or patience == 0):
        return (StartInstall(without=missing),)
    waited_for = f"Not ready yet: {', '.join(missing)}. " if missing else ""
    strangers = [f" {_left_out(found)}" for found in matches if isinstance(found, Stranger)]
    seconds = EVENTS_SECONDS if patience is None else min(EVENTS_SECONDS, max(1, int(patience)))
    return (Wait(f"{waited_for}{cluster.status_info}{''.join(strangers)}", seconds),)


def _missing(matches: Sequence[Matched | Stranger], intent: ClusterIntent, asked: AbstractSet[Role]) -> tuple[str, ...]:
    """What the inputs ask for in these roles and is not ready: names of hosts, or how many of a role where they list no
    hosts. Nobody stands in for a host of the inputs, whoever has approved it."""
    ready = [
        found
        for found in matches
        if isinstance(found, Matched) and found.host.approved and found.host.status is HostStatus.KNOWN
    ]
    if intent.hosts:
        there = {found.wanted.hostname for found in ready if found.wanted}
        return tuple(host.hostname for host in intent.hosts if host.role in asked and host.hostname not in there)
    roles = Counter(found.host.suggested_role for found in ready)
    counts = {Role.MASTER: intent.control_plane_replicas, Role.WORKER: intent.worker_replicas}
    return tuple(
        f"{count - roles[role]} of {count} {role}s"
        for role, count in counts.items()
        if role in asked and roles[role] < count
    )


def _left_out(stranger: Stranger) -> str:
    if stranger.host.approved:
        return f"Host {stranger.host.id} takes part because somebody approved it, but {stranger.why}."
    return f"Host {stranger.host.id} is left out: {stranger.why}."


def _patience_left(actual: Actual, intent: ClusterIntent, ready_for: float) -> float | None:
    """Seconds that workers are still waited for; None while, or where, there is no end to it."""
    if intent.worker_patience_minutes is None or not control_plane_is_ready(actual, intent):
        return None
    return max(0.0, intent.worker_patience_minutes * 60 - ready_for)


def _decisions(matches: Iterable[Matched | Stranger], *, is_over: bool) -> tuple[DecideHost, ...]:
    """Once patience is over, only those that are ready take part."""
    found = [each for each in matches if isinstance(each, Matched)]
    if not is_over:
        return tuple(decide(each) for each in found if not each.host.approved)
    return tuple(
        [decide(each) for each in found if not each.host.approved and each.host.status is HostStatus.KNOWN]
        + [_excuse(each) for each in found if each.host.approved and each.host.status is not HostStatus.KNOWN]
    )


def _excuse(found: Matched) -> DecideHost:
    return DecideHost(found.host.id, HostUpdate(approved=False), "it is not ready, and not waited for any longer")


def decide(found: Matched) -> DecideHost:
    if found.wanted is None:
        return DecideHost(found.host.id, HostUpdate(approved=True), "the inputs list no hosts: all take part")
    return DecideHost(found.host.id, _decision(found.wanted), f"it is {found.wanted.hostname} by its MACs")


def _decision(wanted: HostIntent) -> HostUpdate:
    return HostUpdate(
        host_role=wanted.role,
        host_name=wanted.hostname,
        root_device_hints=wanted.root_device_hints,
        approved=True,
    )
