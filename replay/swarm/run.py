"""A whole install by a swarm, and the load on the service."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from pathlib import Path

import msgspec

from agent.api import operations
from agent.api.clusters import Completion
from agent.api.events import Event
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus
from replay.swarm.figures import SwarmFigure
from replay.swarm.host import TIMEOUT_SECONDS, SimulatedHost, Tally
from replay.swarm.site import IN_FLIGHT, Swarm, swarm

# Requests for instructions of each host while there is nothing to do.
POLLS = 3

# Hosts that poll in turn: a connection that is idle for a second is closed.
GROUP = 200

# Hosts that an error names.
SHOWN = 8


async def install(directory: Path, count: int) -> list[SwarmFigure]:
    """Runs an install from the first registration to the final cluster status.

    All hosts but one register and are checked. They request instructions while there are none. Then the last host
    registers, and its last answer starts the install.
    """
    async with swarm(directory, count) as site:
        *first, last = site.hosts
        cpu, idle = site.cpu, site.peak
        async with asyncio.TaskGroup() as tasks:
            figures = await _discovered(site, tasks, first)
            figures += await _polled(site, first)
            await last.register()
            tasks.create_task(last.install_when_instructed())
            await site.until(ClusterStatus.FINALIZING)
        figures += await _started_and_ended(site)
        await _check_end(site)
        figures += [
            SwarmFigure(name="CPU of the service, in all", value=site.cpu - cpu, unit="s"),
            SwarmFigure(name="CPU of the service, a host", value=1000 * (site.cpu - cpu) / count, unit="ms"),
            SwarmFigure(name="memory of the service, idle", value=idle, unit="MiB"),
            SwarmFigure(name="memory of the service, at its highest", value=site.peak, unit="MiB", aim=120),
        ]
    return [msgspec.structs.replace(figure, name=f"{count} hosts: {figure.name}") for figure in figures]


async def _discovered(site: Swarm, tasks: asyncio.TaskGroup, hosts: list[SimulatedHost]) -> list[SwarmFigure]:
    """Hosts register, the driver approves them, and they check that they reach each other (above 64: neighbours)."""
    started = time.monotonic()
    await site.each(host.register() for host in hosts)
    registered = time.monotonic()
    for host in hosts:
        tasks.create_task(host.install_when_instructed())
    await site.until_known(len(hosts))
    known = time.monotonic()
    return [
        SwarmFigure(name="registrations", value=len(hosts) / (registered - started), unit="/s"),
        SwarmFigure(name="registered to all checked and known", value=known - registered, unit="s"),
    ]


async def _polled(site: Swarm, hosts: list[SimulatedHost]) -> list[SwarmFigure]:
    """Requests for instructions that the service answers at once, as upstream's agents send them.

    Each host has one connection, which is open: Go closes one only when it is idle for longer than those agents pause.
    """
    tally = Tally()
    seconds = 0.0

    for host in hosts:
        host.stop_waiting()
    for first in range(0, len(hosts), GROUP):
        group = hosts[first : first + GROUP]
        await site.each(host.answer_once() for host in group)
        started = time.monotonic()
        await site.each(host.answer_once(tally) for _ in range(POLLS) for host in group)
        seconds += time.monotonic() - started
    for host in hosts:
        host.wait_again()
    ordered = sorted(tally.seconds)
    return [
        SwarmFigure(name=f"instructions, {IN_FLIGHT} in flight", value=len(ordered) / seconds, unit="/s"),
        SwarmFigure(name="instructions, p99", value=1000 * ordered[int(0.99 * len(ordered))], unit="ms"),
    ]


async def _started_and_ended(site: Swarm) -> list[SwarmFigure]:
    ready = _time(await site.event("Updated status of the cluster to ready"))
    started = _time(await site.event("starting installation preparation"))
    last, ended = max(answer for answer in site.tally.answers if answer <= ready), max(site.tally.ends)
    requests = sum(end >= started for end in site.tally.ends)
    return [
        SwarmFigure(name="last check answered to all known", value=ready - last, unit="s"),
        SwarmFigure(name="last check answered to install started", value=started - last, unit="s", aim=5),
        SwarmFigure(name="install started to the last host Done", value=ended - started, unit="s"),
        SwarmFigure(name="requests meanwhile", value=requests / (ended - started), unit="/s"),
    ]


def _time(event: Event) -> float:
    return datetime.fromisoformat(event.event_time).timestamp()


async def _check_end(site: Swarm) -> None:
    """Raises Problem unless all hosts are installed, and the cluster is when the completion is reported."""
    intent = site.intent
    hosts = await site.user.call(operations.LIST_HOSTS, timeout=TIMEOUT_SECONDS, infra_env_id=intent.infra_env_id)
    if left := [f"{host.requested_hostname} is {host.status}" for host in hosts if host.status != HostStatus.INSTALLED]:
        raise Problem(code="swarm-not-installed", title=f"Not every host is installed: {', '.join(left[:SHOWN])}.")
    completion = Completion(is_success=True)
    end = await site.user.call(
        operations.COMPLETE_INSTALLATION, completion, timeout=TIMEOUT_SECONDS, cluster_id=intent.cluster_id
    )
    if end.status is not ClusterStatus.INSTALLED:
        raise Problem(code="swarm-not-installed", title=f"The cluster is {end.status}: {end.status_info}")
