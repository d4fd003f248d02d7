"""Turns looks into lines and an ending. Pure: given the same looks, it says the same."""

from __future__ import annotations

from collections.abc import Iterator

from agent.api.clusters import Cluster
from agent.model.problems import Problem
from agent.model.states import EventSeverity
from client.observe.observation import KubernetesView, Observation
from client.observe.pairs import Pair
from client.observe.phase import Situation, Standing, standing
from client.remote.target import Target
from client.wait_for import changes
from client.wait_for.lines import Kind, Line
from client.wait_for.progress_view import Picture, StageClock
from client.wait_for.stall import Patience
from client.wait_for.verdict import Goal, Required, failure, is_reached

_BAD = {
    Situation.ADDRESS_UNREACHABLE: EventSeverity.WARNING,
    Situation.SERVICE_DOWN: EventSeverity.WARNING,
    Situation.SERVICE_UNTRUSTED: EventSeverity.WARNING,
    Situation.CHECKS_FAILING: EventSeverity.WARNING,
    Situation.NEEDS_ATTENTION: EventSeverity.WARNING,
    Situation.API_UNREACHABLE: EventSeverity.WARNING,
    Situation.FAILED: EventSeverity.ERROR,
}

_SILENT = {
    Situation.ADDRESS_UNREACHABLE,
    Situation.SERVICE_DOWN,
    Situation.SERVICE_UNTRUSTED,
    Situation.API_UNREACHABLE,
}


class Watch:
    """`reached` and `failed` say how it ended; `standing` where it is; `picture` how far, by node0's account."""

    def __init__(self, goal: Goal, target: Target, required: Required = Required.ALL) -> None:
        self._goal = goal
        self._target = target
        self._required = required
        self._patience = Patience()
        self._stages = StageClock()
        self._cluster: Cluster | None = None
        self._pairs: frozenset[Pair] = frozenset()
        self._kubernetes: KubernetesView | None = None
        self._bootstrapped = False
        self.standing: Standing | None = None
        self.picture = Picture(percent=0, words="")
        self.reached = False
        self.failed: Problem | None = None

    def see(self, now: Observation) -> list[Line]:
        """Take in one look; returns what is new since the last."""
        where = standing(now, self._cluster, self._target)
        lines = list(self._news(now, where))
        self.standing = where
        self._cluster = now.service.cluster or self._cluster
        self._pairs = now.service.pairs if now.service.cluster else self._pairs
        self._kubernetes = now.kubernetes
        self._bootstrapped = self._bootstrapped or now.kubernetes.bootstrapped
        self.picture = self._picture(where, now.at)
        lost = self._patience.lost(where, now.service.cluster, self._target.intent, now.at)
        self.failed = failure(now, bootstrapped=self._bootstrapped) or lost
        self.reached = is_reached(self._goal, self._required, now, self._target)
        return lines

    def _picture(self, where: Standing, at: float) -> Picture:
        if self._cluster is None:
            return Picture(percent=0, words=where.detail)
        hosts = self._stages.see(self._cluster, at)
        return Picture(percent=self._cluster.progress.total_percentage, words=where.detail, hosts=hosts)

    def _news(self, now: Observation, where: Standing) -> Iterator[Line]:
        if self.standing is None or _differs(self.standing, where):
            yield Line(
                kind=Kind.SITUATION, situation=where.situation, message=where.detail, remedy=where.remedy,
                severity=_BAD.get(where.situation, EventSeverity.INFO),
            )  # fmt: skip
        yield from changes.events(now.service)
        if now.service.cluster is not None:
            yield from changes.checks(self._cluster, now.service.cluster)
            yield from changes.pairs(self._pairs, now.service.pairs)
            yield from changes.stages(self._cluster, now.service.cluster)
        yield from changes.kubernetes(self._kubernetes, now.kubernetes)


def _differs(old: Standing, new: Standing) -> bool:
    """While nobody answers, only the situation counts: the words of one time-out after the other are no news."""
    return old.situation is not new.situation or (new.situation not in _SILENT and old.detail != new.detail)
