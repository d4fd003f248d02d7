"""The loop: observe both APIs and report the changes, until the goal, a failure or the deadline."""

from __future__ import annotations

import asyncio
from typing import Protocol

from agent.kubernetes.kubeconfig import read_kubeconfig
from agent.machine.clock import Clock
from agent.model.problems import Problem
from cli.options import named
from client.observe.kubernetes import KubernetesWatcher
from client.observe.observation import Observation, Reach
from client.observe.phase import InstallPhase
from client.observe.service import LONG_POLL_SECONDS, ServiceWatcher
from client.remote.service import watcher_client
from client.remote.target import Target
from client.wait_for.goal import Goal, Required
from client.wait_for.lines import Line, LineKind
from client.wait_for.progress_view import ProgressView
from client.wait_for.tracker import InstallTracker


class Screen(Protocol):
    """Where lines and progress go."""

    def line(self, line: Line) -> None: ...

    def show(self, view: ProgressView) -> None: ...


async def wait_for_goal(
    target: Target, goal: Goal, screen: Screen, *, timeout: float, clock: Clock, required: Required = Required.ALL
) -> Observation:
    """Returns the last observation once the goal is reached; `timeout` in seconds.

    Problem: `bootstrap-failed`, `install-failed`, `wait-deadline`, those of `stall.LIMITS`; `Refused` when our
    token is not accepted.
    """
    tracker = InstallTracker(goal, target, required)
    deadline = clock.monotonic() + timeout
    async with watcher_client(target) as client, KubernetesWatcher(target, clock) as api:
        service = ServiceWatcher(client, target.intent.cluster_id)
        while True:
            now = await _observe(service, api, clock)
            for line in tracker.update(now):
                screen.line(line)
            screen.show(tracker.view)
            if tracker.reached:
                return now
            if tracker.failed is not None:
                raise tracker.failed
            if clock.monotonic() >= deadline:
                raise _deadline_missed(tracker, goal, timeout)


async def _observe(service: ServiceWatcher, api: KubernetesWatcher, clock: Clock) -> Observation:
    """Takes about two seconds: the service delays its answer, and without an answer we wait as long."""
    view, nodes = await asyncio.gather(service.observe(), api.observe())
    if view.reach is not Reach.ANSWERS:
        await clock.sleep(LONG_POLL_SECONDS)
    return Observation(at=clock.monotonic(), service=view, kubernetes=nodes)


def _deadline_missed(tracker: InstallTracker, goal: Goal, timeout: float) -> Problem:
    status = tracker.status
    return Problem(
        code="wait-deadline",
        title=f"{goal} was not reached within {timeout / 60:g} minutes.",
        detail=f"{status.phase}: {status.detail}" if status else "",
        remedy=f"{status.remedy if status else ''} The install continues; run the command again to follow it.".strip(),
    )


def success(goal: Goal, target: Target, seen: Observation) -> Line:
    """The last line: the API's address, its kubeconfig, the next command. `seen`: the last observation."""
    url, _ = read_kubeconfig(target.kubeconfig)
    api = f"{url}, kubeconfig {target.kubeconfig}"
    if goal is Goal.BOOTSTRAP_COMPLETE:
        return Line(
            kind=LineKind.RESULT, phase=InstallPhase.FINALIZING, api_url=url, kubeconfig=str(target.kubeconfig),
            message=f"The control plane of {target.intent.domain} is up: {api}",
            remedy=f"Next: cluster0 wait-for install-complete --dir {named(target.directory)}",
        )  # fmt: skip
    return Line(
        kind=LineKind.RESULT, phase=InstallPhase.INSTALLED, percent=100, api_url=url, kubeconfig=str(target.kubeconfig),
        message=f"{target.intent.domain} is installed with {_nodes(seen)}: {api}",
        remedy=f"Next: kubectl --kubeconfig {named(target.kubeconfig)} get nodes",
    )  # fmt: skip


def _nodes(seen: Observation) -> str:
    ready = sum(node.ready for node in seen.kubernetes.nodes)
    return f"{ready} Ready node{'s' if ready != 1 else ''}"
