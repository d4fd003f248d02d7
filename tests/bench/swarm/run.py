"""A whole install by a swarm, and what it cost the service."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psutil

from agent.api import resources as r
from agent.api import routes
from agent.api.client import Client, pinned_tls
from agent.api.intent import Role
from agent.api.routes import TokenRole
from agent.api.states import ClusterStatus, HostStatus
from tests.bench.figure import Figure
from tests.bench.swarm.host import SimulatedHost, Tally
from tests.fakes.node0 import Service, serving
from tests.fakes.site import make_site

MASTERS = 3
IN_FLIGHT = 64
MIB = 2**20


class Swarm:
    """A service, its user, and hosts that are not yet registered. Core 0 is the service's alone, if there are two."""

    def __init__(self, service: Service, user: Client, hosts: list[SimulatedHost], tally: Tally) -> None:
        self.service = service
        self.user = user
        self.hosts = hosts
        self.tally = tally
        self.process = psutil.Process(service.process.pid)
        self._slots = asyncio.Semaphore(IN_FLIGHT)

    async def each(self, work: Iterable[Awaitable[object]]) -> float:
        """Do all of `work`, so many at a time; gives the seconds it took."""

        async def one(item: Awaitable[object]) -> None:
            async with self._slots:
                await item

        started = time.monotonic()
        await asyncio.gather(*(one(item) for item in work))
        return time.monotonic() - started

    async def approve(self, host: SimulatedHost) -> None:
        role = Role.MASTER if host.number < min(MASTERS, len(self.hosts)) else Role.WORKER
        await self.user.call(
            routes.UPDATE_HOST,
            r.HostUpdate(approved=True, host_role=role),
            timeout=300,
            infra_env_id=self.service.site.intent.infra_env_id,
            host_id=host.id,
        )

    async def until(self, *statuses: ClusterStatus) -> r.Cluster:
        """The cluster, as soon as it has one of `statuses`."""
        seen = 0
        while True:
            cluster = await self.cluster()
            if cluster.status in statuses:
                return cluster
            events = await self.user.call(routes.LIST_EVENTS, query={"after": seen, "wait": 30}, timeout=300)
            seen = int(events[-1].id) if events else seen

    async def cluster(self) -> r.Cluster:
        return await self.user.call(
            routes.GET_CLUSTER,
            query={"exclude-hosts": "true"},
            timeout=300,
            cluster_id=self.service.site.intent.cluster_id,
        )

    @property
    def cpu(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    @property
    def resident(self) -> float:
        return float(self.process.memory_info().rss) / MIB


@asynccontextmanager
async def swarm(directory: Path, count: int) -> AsyncIterator[Swarm]:
    """`count` hosts before a fresh service with a registered cluster."""
    masters = min(MASTERS, count)
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(serving(make_site(directory, hosts=(), masters=masters)))
        if (os.cpu_count() or 1) > 1:
            psutil.Process(service.process.pid).cpu_affinity([0])
            psutil.Process().cpu_affinity([1])
        user = await stack.enter_async_context(service.client(TokenRole.USER))
        await _register_cluster(service, user, masters)
        tls, tally = pinned_tls(service.site.ca), Tally()
        hosts = [await stack.enter_async_context(SimulatedHost(service, tls, number, tally)) for number in range(count)]
        yield Swarm(service, user, hosts, tally)


async def _register_cluster(service: Service, user: Client, masters: int) -> None:
    intent = service.site.intent
    asked = r.ClusterCreate(
        id=intent.cluster_id,
        name=intent.name,
        openshift_version="v1.30.0",
        base_dns_domain=intent.base_domain,
        control_plane_count=masters,
        cluster_networks=(r.ClusterNetworkEntry(cidr="10.0.0.0/8", host_prefix=24),),
        service_networks=(r.Cidr(cidr="172.30.0.0/16"),),
    )
    await user.call(routes.REGISTER_CLUSTER, asked)
    infra_env = r.InfraEnvCreate(
        id=intent.infra_env_id, name="demo", cluster_id=intent.cluster_id, rendezvous_ip=intent.rendezvous_ip
    )
    await user.call(routes.REGISTER_INFRA_ENV, infra_env)


async def install(directory: Path, count: int, polls: int = 3) -> list[Figure]:
    """From the first registration to the cluster's end; every host asks `polls` times more while all is quiet."""
    async with swarm(directory, count) as site:
        figures = []
        cpu, idle = site.cpu, site.resident
        registering = await site.each(host.register() for host in site.hosts)
        figures.append(Figure(name="registrations", value=count / registering, unit="/s"))
        done = [asyncio.Event() for _ in site.hosts]
        started = time.monotonic()
        async with asyncio.TaskGroup() as tasks:
            for host, installed in zip(site.hosts, done, strict=True):
                tasks.create_task(host.live(installed))
            await site.each(site.approve(host) for host in site.hosts)
            await site.until(ClusterStatus.READY)
            figures += _checked(site, started, count)
            figures += await _polled(site, polls)
            started, before = time.monotonic(), site.tally.requests
            await site.user.call(routes.INSTALL_CLUSTER, timeout=300, cluster_id=site.service.site.intent.cluster_id)
        seconds = time.monotonic() - started
        figures.append(Figure(name="request to install, to the last host Done", value=seconds, unit="s"))
        figures.append(Figure(name="requests meanwhile", value=(site.tally.requests - before) / seconds, unit="/s"))
        await site.until(ClusterStatus.FINALIZING)
        await _check_end(site)
        figures.append(Figure(name="CPU of the service, in all", value=site.cpu - cpu, unit="s"))
        figures.append(Figure(name="memory of the service, idle", value=idle, unit="MiB"))
        figures.append(Figure(name="memory of the service, at the end", value=site.resident, unit="MiB", aim=120))
        return figures


def _checked(site: Swarm, started: float, count: int) -> list[Figure]:
    now = time.monotonic()
    return [
        Figure(name=f"registered to all {count} hosts known", value=now - started, unit="s"),
        Figure(name="last result to all known", value=max(now - site.tally.last_answer, 0.0), unit="s", aim=5),
    ]


async def _polled(site: Swarm, polls: int) -> list[Figure]:
    """Requests for instructions that are answered at once, as unmodified agents make them."""
    tally = Tally()

    async def ask(host: SimulatedHost) -> None:
        with tally.request():
            await host.ask(wait=0)

    seconds = await site.each(ask(host) for _ in range(polls) for host in site.hosts)
    ordered = sorted(tally.seconds)
    return [
        Figure(name=f"instructions, {IN_FLIGHT} in flight", value=tally.requests / seconds, unit="/s"),
        Figure(name="instructions, p99", value=1000 * ordered[int(0.99 * len(ordered))], unit="ms"),
    ]


async def _check_end(site: Swarm) -> None:
    """Every install ends the same: all hosts installed, the cluster installed when told so."""
    intent = site.service.site.intent
    hosts = await site.user.call(routes.LIST_HOSTS, timeout=300, infra_env_id=intent.infra_env_id)
    assert {host.status for host in hosts} == {HostStatus.INSTALLED}
    completion = r.Completion(is_success=True)
    end = await site.user.call(routes.COMPLETE_INSTALLATION, completion, timeout=300, cluster_id=intent.cluster_id)
    assert end.status is ClusterStatus.INSTALLED
