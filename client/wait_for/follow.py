"""The loop: look at both APIs, tell what is new, until the goal, a failure or the deadline."""

from __future__ import annotations

import asyncio
from typing import Protocol

from agent.machine.clock import Clock
from agent.model.problems import Problem
from client.observe.kubernetes import KubernetesWatcher
from client.observe.observation import Observation, Reach
from client.observe.service import LONG_POLL_SECONDS, ServiceWatcher
from client.remote.service import watching
from client.remote.target import Target
from client.wait_for.lines import Line
from client.wait_for.progress_view import Picture
from client.wait_for.verdict import Goal, Required
from client.wait_for.watch import Watch


class Screen(Protocol):
    """Where the lines go."""

    def line(self, line: Line) -> None: ...

    def show(self, picture: Picture) -> None: ...


async def follow(
    target: Target, goal: Goal, screen: Screen, *, timeout: float, clock: Clock, required: Required = Required.ALL
) -> Observation:
    """Returns the last look when the goal is reached; `timeout` in seconds.

    Problem: `bootstrap-failed`, `install-failed`, `wait-deadline`, those of `patience`; `Refused` when our token is
    not accepted.
    """
    watch = Watch(goal, target, required)
    deadline = clock.monotonic() + timeout
    async with watching(target) as client, KubernetesWatcher(target, clock) as api:
        service = ServiceWatcher(client, target.intent.cluster_id)
        while True:
            now = await _look(service, api, clock)
            for line in watch.see(now):
                screen.line(line)
            screen.show(watch.picture)
            if watch.reached:
                return now
            if watch.failed is not None:
                raise watch.failed
            if clock.monotonic() >= deadline:
                raise _late(watch, goal, timeout)


async def _look(service: ServiceWatcher, api: KubernetesWatcher, clock: Clock) -> Observation:
    """Takes some two seconds: the service makes us wait, and where nobody does we wait ourselves."""
    seen, nodes = await asyncio.gather(service.look(), api.look())
    if seen.reach is not Reach.ANSWERS:
        await clock.sleep(LONG_POLL_SECONDS)
    return Observation(at=clock.monotonic(), service=seen, kubernetes=nodes)


def _late(watch: Watch, goal: Goal, timeout: float) -> Problem:
    where = watch.standing
    return Problem(
        code="wait-deadline",
        title=f"{goal} was not reached within {timeout / 60:g} minutes.",
        detail=f"{where.situation}: {where.detail}" if where else "",
        remedy=f"{where.remedy if where else ''} The install goes on; run the command again to go on watching.".strip(),
    )
