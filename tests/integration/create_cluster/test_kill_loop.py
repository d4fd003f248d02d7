"""Service and driver killed at random moments of an install: it ends as it would have, and nothing is done twice."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from agent.api import operations
from agent.api.client import Refused, Unreachable
from agent.api.events import Event
from agent.api.operations import TokenRole
from agent.api.steps import InstallRequest, StepType
from agent.model.states import STAGES, ClusterStatus, InstallRole
from replay.programs import Service, free_port
from replay.site import Site, host_intent, make_site
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.node0.programs import node0, serving

pytestmark = pytest.mark.integration

Result = TypeVar("Result")

HOSTS = 3
LONGEST_LIFE_SECONDS = 1.5
LONGEST_STAGE_SECONDS = 0.8

# Events of the service. Each has to happen once: for the cluster, or for every host.
ONCE = ("cluster_registration_succeeded", "cluster_prepare_installation_started")
ONCE_A_HOST = ("host_approved_updated",)


class Node0:
    """The two programs, each started again whenever it is killed."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.port = free_port()
        self._service = contextlib.AsyncExitStack()
        self.service: Service | None = None
        self._driver: asyncio.subprocess.Process | None = None

    async def start_service(self) -> None:
        self.service = await self._service.enter_async_context(serving(self.site, port=self.port))

    async def start_driver(self) -> None:
        url = f"https://127.0.0.1:{self.port}"
        self._driver = await node0(self.site, "create-cluster", "--url", url, stderr=asyncio.subprocess.DEVNULL)

    async def kill_service(self) -> None:
        assert self.service is not None
        await self.service.stop(signal.SIGKILL)
        await self._service.aclose()
        await self.start_service()

    async def kill_driver(self) -> None:
        await self.stop_driver()
        await self.start_driver()

    async def stop_driver(self) -> None:
        assert self._driver is not None
        with contextlib.suppress(ProcessLookupError):
            self._driver.send_signal(signal.SIGKILL)
        await self._driver.wait()

    async def stop(self) -> None:
        await self.stop_driver()
        await self._service.aclose()


@contextlib.asynccontextmanager
async def leading(site: Site) -> AsyncIterator[Node0]:
    both = Node0(site)
    await both.start_service()
    await both.start_driver()
    try:
        yield both
    finally:
        await both.stop()


class PatientAgent(Agent):
    """Goes on through everything, as the real one does; an install that has run is not started again."""

    def __init__(self, service: Service, number: int) -> None:
        address = f"127.0.0.{number + 1}"
        super().__init__(service, inventory(mac=mac(number), address=address, hostname=f"node{number}"))

    async def live(self) -> None:
        await again(self.register)
        while True:
            for step in await again(partial(self.steps, wait=5)):
                if step.step_type == StepType.INSTALL:
                    await self._carry_out(msgspec.json.decode(step.args[0], type=InstallRequest))
                    return
                await again(partial(self.answer, step))

    async def _carry_out(self, request: InstallRequest) -> None:
        for stage in STAGES[request.role]:
            await again(partial(self.reach, stage))
            await asyncio.sleep(random.uniform(0, LONGEST_STAGE_SECONDS))


async def again(call: Callable[[], Awaitable[Result]]) -> Result:
    """Retry until it is answered: no host can register before the driver has registered the infra-env."""
    while True:
        try:
            return await call()
        except Unreachable:
            pass
        except Refused as refusal:
            assert refusal.code == "infra-env-unknown"
        await asyncio.sleep(0.1)


def mac(number: int) -> str:
    return f"52:54:00:00:00:{number + 1:02x}"


async def kill_now_and_then(both: Node0, kills: int, done: asyncio.Event) -> None:
    """So often at most, and not once the hosts are done: then the driver wants Kubernetes, which is not here."""
    for _ in range(kills):
        await asyncio.sleep(random.uniform(0, LONGEST_LIFE_SECONDS))
        if done.is_set():
            return
        await random.choice([both.kill_service, both.kill_driver])()


async def live(agents: list[PatientAgent], done: asyncio.Event) -> None:
    await asyncio.gather(*(agent.live() for agent in agents))
    done.set()


async def until_finalizing(service: Service) -> None:
    """From here on the driver needs Kubernetes."""
    async with service.client(TokenRole.WATCHER) as watcher:
        read = partial(watcher.call, operations.GET_CLUSTER, cluster_id=service.site.intent.cluster_id)
        seen = 0
        while (await again(read)).status is not ClusterStatus.FINALIZING:
            events = await again(partial(watcher.call, operations.LIST_EVENTS, query={"after": seen, "wait": 5}))
            seen = int(events[-1].id) if events else seen


async def events_of(service: Service) -> list[Event]:
    async with service.client(TokenRole.WATCHER) as watcher:
        return await watcher.call(operations.LIST_EVENTS)


async def install_under_fire(directory: Path, kills: int) -> None:
    hosts = tuple(host_intent(name=f"node{number}", mac=mac(number)) for number in range(HOSTS))
    async with leading(make_site(directory, hosts=hosts, masters=HOSTS)) as both:
        assert both.service is not None
        agents = [PatientAgent(both.service, number) for number in range(HOSTS)]
        async with contextlib.AsyncExitStack() as stack:
            for agent in agents:
                await stack.enter_async_context(agent.client)
            async with asyncio.TaskGroup() as tasks:
                done = asyncio.Event()
                tasks.create_task(kill_now_and_then(both, kills, done))
                tasks.create_task(live(agents, done))
        await until_finalizing(both.service)
        events = await events_of(both.service)
    names = Counter(event.name for event in events)
    assert {name: names[name] for name in ONCE} == dict.fromkeys(ONCE, 1)
    assert {name: names[name] for name in ONCE_A_HOST} == dict.fromkeys(ONCE_A_HOST, HOSTS)
    stages = Counter(event.message for event in events if event.name == "host_install_progress_updated")
    assert set(stages.values()) == {1}
    assert len(stages) == sum(
        len(STAGES[InstallRole.BOOTSTRAP if n == 0 else InstallRole.MASTER]) for n in range(HOSTS)
    )
    assert [int(event.id) for event in events] == sorted({int(event.id) for event in events})


@pytest.mark.timeout(180)
async def test_an_install_with_killed_processes_does_nothing_twice(tmp_path: Path) -> None:
    await install_under_fire(tmp_path, kills=6)


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_an_install_with_processes_killed_many_times_does_nothing_twice(tmp_path: Path) -> None:
    for number in range(10):
        await install_under_fire(tmp_path / str(number), kills=30)
