"""Turns looks into lines and an ending. Pure: given the same looks, it says the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agent.api.problems import Problem
from agent.api.resources import Cluster
from agent.api.states import Severity
from image_build.wait_for import changes
from image_build.wait_for.lines import Kind, Line
from image_build.wait_for.observation import KubernetesView, Observation, Reach
from image_build.wait_for.situation import Situation, Standing, standing
from image_build.wait_for.target import Target
from image_build.wait_for.verdict import Goal, History, failure, is_reached

_BAD = {
    Situation.ADDRESS_UNREACHABLE: Severity.WARNING,
    Situation.SERVICE_DOWN: Severity.WARNING,
    Situation.SERVICE_UNTRUSTED: Severity.WARNING,
    Situation.CHECKS_FAILING: Severity.WARNING,
    Situation.NEEDS_ATTENTION: Severity.WARNING,
    Situation.FAILED: Severity.ERROR,
}

_HOSTS_ARE_AT_WORK = {Situation.INSTALLING, Situation.NEEDS_ATTENTION, Situation.FINALIZING}


class Watch:
    """`reached` and `failed` say how it ended; `standing` where it is; `percent` how far, by node0's account."""

    def __init__(self, goal: Goal, target: Target) -> None:
        self._goal = goal
        self._target = target
        self._cluster: Cluster | None = None
        self._kubernetes: KubernetesView | None = None
        self._history = History()
        self.standing: Standing | None = None
        self.reached = False
        self.failed: Problem | None = None

    @property
    def percent(self) -> int:
        return self._cluster.progress.total_percentage if self._cluster else 0

    @property
    def words(self) -> str:
        """What goes on, in a few words: every host's stage, or where the install stands."""
        if self.standing is None:
            return ""
        if self._cluster is None or self.standing.situation not in _HOSTS_ARE_AT_WORK:
            return self.standing.detail
        at_work = (changes.stage_words(host) for host in self._cluster.hosts)
        return ", ".join(filter(None, at_work)) or self.standing.detail

    def see(self, now: Observation) -> list[Line]:
        """Take in one look; returns what is new since the last."""
        lines = list(self._news(now))
        self._cluster = now.service.cluster or self._cluster
        self._kubernetes = now.kubernetes
        self._remember(now)
        self.failed = failure(now, self._history)
        self.reached = is_reached(self._goal, now, self._history, self._target)
        return lines

    def _news(self, now: Observation) -> Iterator[Line]:
        where = standing(now, self._cluster, self._target)
        if self.standing is None or _differs(self.standing, where):
            yield Line(
                kind=Kind.SITUATION, situation=where.situation, message=where.detail, remedy=where.remedy,
                severity=_BAD.get(where.situation, Severity.INFO),
            )  # fmt: skip
        self.standing = where
        yield from changes.events(now.service)
        if now.service.cluster is not None:
            yield from changes.checks(self._cluster, now.service.cluster)
            yield from changes.stages(self._cluster, now.service.cluster)
        yield from changes.kubernetes(self._kubernetes, now.kubernetes)

    def _remember(self, now: Observation) -> None:
        bootstrapped = self._history.bootstrapped or now.kubernetes.bootstrapped
        since = None
        if now.service.reach is not Reach.ANSWERS:
            since = now.at if self._history.silent_since is None else self._history.silent_since
        self._history = replace(self._history, bootstrapped=bootstrapped, silent_since=since)


def _differs(old: Standing, new: Standing) -> bool:
    """While nobody answers, only the situation counts: the words of one time-out after the other are no news."""
    silent = {Situation.ADDRESS_UNREACHABLE, Situation.SERVICE_DOWN, Situation.SERVICE_UNTRUSTED}
    return old.situation is not new.situation or (new.situation not in silent and old.detail != new.detail)
