"""The loop: look at both APIs, tell what is new, until the goal, a failure or the deadline."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Protocol

from agent.api.client import Client, pinned_tls, service_url
from agent.api.problems import Problem
from agent.api.routes import PORT
from agent.kubernetes.client import Kubernetes
from agent.machine.clock import Clock
from image_build.wait_for import kubernetes
from image_build.wait_for.lines import Line
from image_build.wait_for.observation import Observation, Reach
from image_build.wait_for.service import LONG_POLL_SECONDS, ServiceWatcher
from image_build.wait_for.target import Target
from image_build.wait_for.verdict import Goal
from image_build.wait_for.watch import Watch


class Screen(Protocol):
    """Where the lines go."""

    def line(self, line: Line) -> None: ...

    def progress(self, percent: int, words: str) -> None: ...


async def follow(target: Target, goal: Goal, screen: Screen, *, timeout: float, clock: Clock, port: int = PORT) -> None:
    """Returns when the goal is reached; `timeout` in seconds.

    Problem: `bootstrap-failed`, `install-failed`, `wait-deadline`; `Refused` when our token is not accepted.
    """
    watch = Watch(goal, target)
    deadline = clock.monotonic() + timeout
    async with AsyncExitStack() as stack:
        tls, url = pinned_tls(target.ca), service_url(target.address, port)
        client = await stack.enter_async_context(Client(url=url, tls=tls, token=target.token))
        api = await stack.enter_async_context(Kubernetes.from_kubeconfig(target.kubeconfig))
        service = ServiceWatcher(client, target.intent.cluster_id)
        while not watch.reached:
            now = await _look(service, api, clock)
            for line in watch.see(now):
                screen.line(line)
            screen.progress(watch.percent, watch.words)
            if watch.failed is not None:
                raise watch.failed
            if clock.monotonic() >= deadline and not watch.reached:
                raise _late(watch, goal, timeout)


async def _look(service: ServiceWatcher, api: Kubernetes, clock: Clock) -> Observation:
    """Takes some two seconds: the service makes us wait, and where nobody does we wait ourselves."""
    seen, nodes = await asyncio.gather(service.look(), kubernetes.look(api))
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
