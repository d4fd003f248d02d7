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
from agent.model.states import ClusterStatus, HostStatus
from tests.bench.figure import Figure
from tests.bench.swarm.host import TIMEOUT_SECONDS, SimulatedHost, Tally
from tests.bench.swarm.site import IN_FLIGHT, Swarm, swarm

# Requests for instructions of each host while there is nothing to do.
POLLS = 3


async def install(directory: Path, count: int) -> list[Figure]:
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
            Figure(name="CPU of the service, in all", value=site.cpu - cpu, unit="s"),
            Figure(name="CPU of the service, a host", value=1000 * (site.cpu - cpu) / count, unit="ms"),
            Figure(name="memory of the service, idle", value=idle, unit="MiB"),
            Figure(name="memory of the service, at its highest", value=site.peak, unit="MiB", aim=120),
        ]
    return [msgspec.structs.replace(figure, name=f"{count} hosts: {figure.name}") for figure in figures]


async def _discovered(site: Swarm, tasks: asyncio.TaskGroup, hosts: list[SimulatedHost]) -> list[Figure]:
    """Hosts register, the driver approves them, and they check that they reach each other (above 64: neighbours)."""
    started = time.monotonic()
    await site.each(host.register() for host in hosts)
    registered = time.monotonic()
    for host in hosts:
        tasks.create_task(host.install_when_instructed())
    await site.until_known(len(hosts))
    known = time.monotonic()
    return [
        Figure(name="registrations", value=len(hosts) / (registered - started), unit="/s"),
        Figure(name="registered to all checked and known", value=known - registered, unit="s"),
    ]


async def _polled(site: Swarm, hosts: list[SimulatedHost]) -> list[Figure]:
    """Requests for instructions that the service answers at once, as upstream's agents send them."""
    tally = Tally()

    async def request(host: SimulatedHost) -> None:
        with tally.request():
            await host.instructions(wait=0)

    started = time.monotonic()
    await site.each(request(host) for _ in range(POLLS) for host in hosts)
    seconds, ordered = time.monotonic() - started, sorted(tally.seconds)
    return [
        Figure(name=f"instructions, {IN_FLIGHT} in flight", value=len(ordered) / seconds, unit="/s"),
        Figure(name="instructions, p99", value=1000 * ordered[int(0.99 * len(ordered))], unit="ms"),
    ]


async def _started_and_ended(site: Swarm) -> list[Figure]:
    ready = _time(await site.event("Updated status of the cluster to ready"))
    started = _time(await site.event("starting installation preparation"))
    last, ended = max(answer for answer in site.tally.answers if answer <= ready), max(site.tally.ends)
    requests = sum(end >= started for end in site.tally.ends)
    return [
        Figure(name="last check answered to all known", value=ready - last, unit="s"),
        Figure(name="last check answered to install started", value=started - last, unit="s", aim=5),
        Figure(name="install started to the last host Done", value=ended - started, unit="s"),
        Figure(name="requests meanwhile", value=requests / (ended - started), unit="/s"),
    ]


def _time(event: Event) -> float:
    return datetime.fromisoformat(event.event_time).timestamp()


async def _check_end(site: Swarm) -> None:
    """All hosts are installed, and the cluster is when the completion is reported."""
    intent = site.intent
    hosts = await site.user.call(operations.LIST_HOSTS, timeout=TIMEOUT_SECONDS, infra_env_id=intent.infra_env_id)
    assert {host.status for host in hosts} == {HostStatus.INSTALLED}
    completion = Completion(is_success=True)
    end = await site.user.call(
        operations.COMPLETE_INSTALLATION, completion, timeout=TIMEOUT_SECONDS, cluster_id=intent.cluster_id
    )
    assert end.status is ClusterStatus.INSTALLED
