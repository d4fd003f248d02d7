"""Turns observations into lines and a result. Pure: the same observations give the same lines."""

from __future__ import annotations

from collections.abc import Iterator

from agent.api.clusters import Cluster
from agent.model.problems import Problem
from agent.model.states import EventSeverity
from client.observe.observation import KubernetesView, Observation
from client.observe.peer_failures import PeerFailure
from client.observe.phase import InstallPhase, InstallStatus, install_status
from client.remote.target import Target
from client.wait_for import changes
from client.wait_for.goal import Goal, Required, failure, is_reached
from client.wait_for.lines import Line, LineKind
from client.wait_for.progress_view import ProgressView, StageClock
from client.wait_for.stall import StallDetector

_SEVERITIES = {
    InstallPhase.ADDRESS_UNREACHABLE: EventSeverity.WARNING,
    InstallPhase.SERVICE_DOWN: EventSeverity.WARNING,
    InstallPhase.SERVICE_UNTRUSTED: EventSeverity.WARNING,
    InstallPhase.CHECKS_FAILING: EventSeverity.WARNING,
    InstallPhase.NEEDS_ATTENTION: EventSeverity.WARNING,
    InstallPhase.API_UNREACHABLE: EventSeverity.WARNING,
    InstallPhase.FAILED: EventSeverity.ERROR,
}

_NO_ANSWER = {
    InstallPhase.ADDRESS_UNREACHABLE,
    InstallPhase.SERVICE_DOWN,
    InstallPhase.SERVICE_UNTRUSTED,
    InstallPhase.API_UNREACHABLE,
}


class InstallTracker:
    """`status`: the phase of the install. `view`: its progress. `reached`, `failed`: whether and how it ended."""

    def __init__(self, goal: Goal, target: Target, required: Required = Required.ALL) -> None:
        self._goal = goal
        self._target = target
        self._required = required
        self._stalls = StallDetector()
        self._stages = StageClock()
        self._cluster: Cluster | None = None
        self._peer_failures: frozenset[PeerFailure] = frozenset()
        self._kubernetes: KubernetesView | None = None
        self._bootstrapped = False
        self.status: InstallStatus | None = None
        self.view = ProgressView(percent=0, words="")
        self.reached = False
        self.failed: Problem | None = None

    def update(self, now: Observation) -> list[Line]:
        """Take in one observation; returns a line for each change since the last."""
        status = install_status(now, self._cluster, self._target)
        lines = list(self._changes(now, status))
        self.status = status
        self._cluster = now.service.cluster or self._cluster
        self._peer_failures = now.service.peer_failures if now.service.cluster else self._peer_failures
        self._kubernetes = now.kubernetes
        self._bootstrapped = self._bootstrapped or now.kubernetes.bootstrapped
        self.view = self._view(status, now.at)
        stalled = self._stalls.problem(status, now.service.cluster, self._target.intent, now.at)
        self.failed = failure(now, bootstrapped=self._bootstrapped) or stalled
        self.reached = is_reached(self._goal, self._required, now, self._target)
        return lines

    def _view(self, status: InstallStatus, at: float) -> ProgressView:
        if self._cluster is None:
            return ProgressView(percent=0, words=status.detail)
        hosts = self._stages.update(self._cluster, at)
        return ProgressView(percent=self._cluster.progress.total_percentage, words=status.detail, hosts=hosts)

    def _changes(self, now: Observation, status: InstallStatus) -> Iterator[Line]:
        if self.status is None or _differs(self.status, status):
            yield Line(
                kind=LineKind.PHASE, phase=status.phase, message=status.detail, remedy=status.remedy,
                severity=_SEVERITIES.get(status.phase, EventSeverity.INFO),
            )  # fmt: skip
        yield from changes.events(now.service)
        if now.service.cluster is not None:
            yield from changes.checks(self._cluster, now.service.cluster)
            yield from changes.peer_failures(self._peer_failures, now.service.peer_failures)
            yield from changes.stages(self._cluster, now.service.cluster)
        yield from changes.kubernetes(self._kubernetes, now.kubernetes)


def _differs(old: InstallStatus, new: InstallStatus) -> bool:
    """While there is no answer, only another phase is a change: the texts of the time-outs vary."""
    return old.phase is not new.phase or (new.phase not in _NO_ANSWER and old.detail != new.detail)
