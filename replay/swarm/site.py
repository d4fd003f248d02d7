"""The real service and the real driver for a swarm, and its hosts."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec

from agent.api import operations
from agent.api.client import Client, pinned_tls
from agent.api.clusters import Cluster
from agent.api.events import Event
from agent.api.operations import TokenRole
from agent.machine.files import Files
from agent.model import host_paths
from agent.model.intent import ClusterNetwork
from agent.model.problems import Problem
from agent.model.states import ClusterStatus
from replay.programs import PYTHON, Service, driving, serving
from replay.site import Site, make_site
from replay.swarm.host import TIMEOUT_SECONDS, SimulatedHost, Tally
from replay.swarm.machines import intents, recorded

MASTERS = 3
IN_FLIGHT = 64
PAUSE_SECONDS = 0.5
# Also when this process is killed: then no block ends.
ENDS_WITH_US = ("setpriv", "--pdeathsig", "KILL", *PYTHON)


class Swarm:
    """The service, its user, and hosts that have not registered."""

    def __init__(self, service: Service, user: Client, hosts: list[SimulatedHost], tally: Tally) -> None:
        self.hosts = hosts
        self.tally = tally
        self._proc = Files(Path(f"/proc/{service.process.pid}"))
        self.intent = service.site.intent
        self.user = user
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._seen = 0

    async def each(self, work: Iterable[Awaitable[object]]) -> None:
        """Await all of `work`, `IN_FLIGHT` at a time."""

        async def one(item: Awaitable[object]) -> None:
            async with self._slots:
                await item

        await asyncio.gather(*(one(item) for item in work))

    async def cluster(self) -> Cluster:
        query, id = {"exclude-hosts": "true"}, self.intent.cluster_id
        return await self.user.call(operations.GET_CLUSTER, query=query, timeout=TIMEOUT_SECONDS, cluster_id=id)

    async def until_registered(self) -> None:
        """The driver has registered the cluster and the infra-env."""
        while not await self.user.call(operations.LIST_INFRA_ENVS, timeout=TIMEOUT_SECONDS):
            await self._next_event()

    async def until_known(self, count: int) -> None:
        while (await self.cluster()).ready_host_count < count:
            await self._next_event()

    async def until(self, status: ClusterStatus) -> None:
        while (found := await self.cluster()).status is not status:
            if found.status.is_final:
                raise Problem(code="swarm-not-installed", title=f"The cluster is {found.status}: {found.status_info}")
            await self._next_event()

    async def _next_event(self) -> None:
        """Waits for an event after the last one seen, and then pauses, because requests cost the service CPU."""
        query: dict[str, str | int] = {"after": self._seen, "wait": 30, "order": "descending", "limit": 1}
        for event in await self.user.call(operations.LIST_EVENTS, query=query, timeout=TIMEOUT_SECONDS):
            self._seen = event.id
        await asyncio.sleep(PAUSE_SECONDS)

    async def event(self, text: str) -> Event:
        """The last event whose message contains `text`."""
        query: dict[str, str | int] = {"message": text, "order": "descending", "limit": 1}
        (found,) = await self.user.call(operations.LIST_EVENTS, query=query, timeout=TIMEOUT_SECONDS)
        return found

    @property
    def cpu(self) -> float:
        """Seconds that the service has used: utime and stime of proc_pid_stat(5), after its name in brackets."""
        _, _, fields = self._proc.attribute("stat").rpartition(")")
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def peak(self) -> float:
        """MiB: the peak memory of the service (VmHWM, proc_pid_status(5))."""
        lines = self._proc.attribute("status").splitlines()
        (line,) = (line for line in lines if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024


@asynccontextmanager
async def swarm(directory: Path, count: int) -> AsyncIterator[Swarm]:
    """`count` hosts, a new service and its driver, whose files are in `directory`."""
    tally = Tally()
    async with AsyncExitStack() as stack:
        site = await asyncio.to_thread(_site, directory, count)
        serves = serving(site, python=ENDS_WITH_US, log=directory / "service.log")
        service = await stack.enter_async_context(serves)
        stack.enter_context(separate_cores(service.process.pid))
        user = await stack.enter_async_context(service.client(TokenRole.USER))
        # The driver approves the hosts and starts the install; this block ends it while it waits for Kubernetes.
        await stack.enter_async_context(driving(service, python=ENDS_WITH_US))
        tls = pinned_tls(service.site.ca)
        records = await asyncio.to_thread(recorded, count)
        hosts = [await stack.enter_async_context(SimulatedHost(service, tls, record, tally)) for record in records]
        found = Swarm(service, user, hosts, tally)
        await found.until_registered()
        yield found


@contextmanager
def separate_cores(service: int) -> Iterator[None]:
    """One core is only for the service, another for this process, until the block ends. Nothing where it has one."""
    allowed = os.sched_getaffinity(0)
    first, *others = sorted(allowed)
    if others:
        os.sched_setaffinity(service, {first})
        os.sched_setaffinity(0, {others[0]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def _site(directory: Path, count: int) -> Site:
    masters = min(MASTERS, count)
    site = make_site(directory, hosts=intents(count, masters), masters=masters)
    networks = (ClusterNetwork(cidr="10.0.0.0/8", host_prefix=24),)
    intent = msgspec.structs.replace(site.intent, cluster_networks=networks, service_networks=("172.30.0.0/16",))
    site.files.write(host_paths.INTENT_FILE, msgspec.json.encode(intent))
    return replace(site, intent=intent)
