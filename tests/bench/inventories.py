"""A thousand hosts that report inventories to node0's service over plain HTTP, from 32 clients."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

from agent.api import operations
from agent.api.hosts import HostRegister, HostUpdate
from agent.api.operations import TokenRole
from agent.api.steps import StepReply, StepType
from agent.model.inventory import Inventory
from replay.answers import HostPath, good_answer
from replay.programs import Service, free_port, serving
from replay.site import make_site
from replay.swarm.machines import intents, recorded
from replay.swarm.site import separate_cores
from tests.bench.plain_client import PlainClient
from tests.fakes.node0.cluster import register_cluster

HOSTS = 1000
CLIENTS = 32
MASTERS = 3
RAM = Path("/dev/shm")
"""For the database: on node0 it is in RAM while inventories are reported."""


class Cost(NamedTuple):
    """Of each inventory: `cpu` of the service in milliseconds, and how many it accepted in a second."""

    cpu: float
    rate: float


class Costs(NamedTuple):
    """first: of hosts that have reported nothing yet. changed, unchanged: of hosts that are checked and known."""

    first: Cost
    changed: Cost
    unchanged: Cost


@dataclass
class BenchHost:
    id: str
    inventory: Inventory
    token: str = ""


Work = Callable[[PlainClient, BenchHost], Awaitable[object]]


def measured_costs() -> Costs:
    with tempfile.TemporaryDirectory(prefix="cluster0-inventories-", dir=RAM if RAM.is_dir() else None) as directory:
        return asyncio.run(_costs(Path(directory)))


async def _costs(directory: Path) -> Costs:
    async with _reports(directory) as reports:
        await reports.each(reports.register)
        first = await reports.cost()
        await reports.each(reports.approve)
        await reports.each(reports.answer_checks)
        reports.change_inventories()
        return Costs(first, changed=await reports.cost(), unchanged=await reports.cost())


@asynccontextmanager
async def _reports(directory: Path) -> AsyncIterator[Reports]:
    """A new service, whose files are in `directory`, and hosts that it does not know yet."""
    site, port = make_site(directory, hosts=intents(HOSTS, MASTERS), masters=MASTERS), free_port()
    async with AsyncExitStack() as stack:
        serves = serving(site, "--loopback-port", str(port), log=directory / "service.log")
        service = await stack.enter_async_context(serves)
        stack.enter_context(separate_cores(service.process.pid))
        await register_cluster(service)
        clients = [await stack.enter_async_context(PlainClient(port)) for _ in range(CLIENTS)]
        yield Reports(service, clients, [BenchHost(record.host_id, record.inventory) for record in recorded(HOSTS)])


class Reports:
    """What hosts send to `service`."""

    def __init__(self, service: Service, clients: list[PlainClient], hosts: list[BenchHost]) -> None:
        self._clients = clients
        self._hosts = hosts
        self._infra_env_id = service.site.intent.infra_env_id
        self._agent_token = service.site.token(TokenRole.AGENT)
        self._user_token = service.site.token(TokenRole.USER)
        self._process = psutil.Process(service.process.pid)

    async def cost(self) -> Cost:
        """Each host reports its inventory."""
        cpu, started = self._cpu, time.monotonic()
        await self.each(self._report)
        seconds, cpu = time.monotonic() - started, self._cpu - cpu
        return Cost(cpu=1000 * cpu / len(self._hosts), rate=len(self._hosts) / seconds)

    async def each(self, work: Work) -> None:
        """Do `work` for each host; every client does it for one at a time."""
        waiting = iter(self._hosts)

        async def take(client: PlainClient) -> None:
            for host in waiting:
                await work(client, host)

        await asyncio.gather(*map(take, self._clients))

    async def register(self, client: PlainClient, host: BenchHost) -> None:
        body, path = HostRegister(host_id=host.id), {"infra_env_id": self._infra_env_id}
        host.token = (await client.call(operations.REGISTER_HOST, self._agent_token, body, path)).token

    async def approve(self, client: PlainClient, host: BenchHost) -> None:
        body = HostUpdate(approved=True)
        await client.call(operations.UPDATE_HOST, self._user_token, body, self._path(host))

    async def answer_checks(self, client: PlainClient, host: BenchHost) -> None:
        """As a host does with which all is well."""
        steps = await client.call(operations.GET_INSTRUCTIONS, host.token, None, self._path(host))
        for step in steps.instructions:
            await self._reply(client, host, step.step_type, good_answer(step, host.inventory))

    def change_inventories(self) -> None:
        """Another size of the memory that the system can use, which no validation reads."""
        for host in self._hosts:
            memory = host.inventory.memory
            memory = msgspec.structs.replace(memory, usable_bytes=memory.usable_bytes + 4096)
            host.inventory = msgspec.structs.replace(host.inventory, memory=memory)

    async def _report(self, client: PlainClient, host: BenchHost) -> None:
        await self._reply(client, host, StepType.INVENTORY, host.inventory)

    async def _reply(self, client: PlainClient, host: BenchHost, step: str, output: object) -> None:
        reply = StepReply(step_type=step, step_id=f"{step}-00000000", output=msgspec.json.encode(output).decode())
        await client.call(operations.POST_STEP_REPLY, host.token, reply, self._path(host))

    def _path(self, host: BenchHost) -> HostPath:
        return HostPath(infra_env_id=self._infra_env_id, host_id=host.id)

    @property
    def _cpu(self) -> float:
        """Seconds that the service has used."""
        times = self._process.cpu_times()
        return float(times.user + times.system)
