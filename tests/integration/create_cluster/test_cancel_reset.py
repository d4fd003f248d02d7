"""Cancel and reset over the wire, with the driver running: what was stopped is taken up again from the beginning."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.api import operations
from agent.api.client import Client, Refused
from agent.api.operations import Operation, TokenRole
from agent.api.steps import StepType
from agent.model.states import ClusterStatus, HostStatus, Stage
from replay.programs import Service
from replay.site import make_site
from tests.fakes.agent.agent import Agent
from tests.fakes.node0.driver import register
from tests.fakes.node0.programs import driving, serving

pytestmark = pytest.mark.integration


@asynccontextmanager
async def installing(tmp_path: Path) -> AsyncIterator[tuple[Service, Client, Agent]]:
    """A site led by the driver, whose one host has the install step and reports its first stages."""
    async with (
        serving(make_site(tmp_path)) as service,
        driving(service),
        service.client(TokenRole.USER) as user,
        asyncio.timeout(90),
    ):
        agent = Agent(service)
        async with agent.client:
            await register(agent)
            await agent.wait_for_install()
            await agent.reach(Stage.STARTING_INSTALLATION)
            await agent.reach(Stage.WRITING_IMAGE, "10%")
            yield service, user, agent


async def host_status(user: Client, agent: Agent) -> HostStatus:
    return (await user.call(operations.GET_HOST, **agent.path)).status


async def refused(user: Client, operation: Operation[Any, Any], **path: str) -> str:
    with pytest.raises(Refused) as caught:
        await user.call(operation, **path)  # type: ignore[arg-type]  # strings that fill the path
    assert caught.value.status == 409
    return caught.value.code


async def test_cancelled_then_reset_then_installed_by_the_driver(tmp_path: Path) -> None:
    async with installing(tmp_path) as (service, user, agent):
        cluster_id = service.site.intent.cluster_id
        cancelled = await user.call(operations.CANCEL_INSTALLATION, cluster_id=cluster_id)
        assert (cancelled.status, cancelled.hosts[0].status) == (ClusterStatus.CANCELLED, HostStatus.CANCELLED)
        assert {step.step_type for step in await agent.steps(wait=10)} == {
            StepType.LOGS_GATHER,
            StepType.STOP_INSTALLATION,
        }
        assert await refused(user, operations.CANCEL_INSTALLATION, cluster_id=cluster_id) == "nothing-to-take-back"

        reset = await user.call(operations.RESET_CLUSTER, cluster_id=cluster_id)
        assert (reset.status, reset.hosts[0].status) == (ClusterStatus.INSUFFICIENT, HostStatus.RESETTING)
        with pytest.raises(Refused, match="resetting"):
            await agent.reach(Stage.WRITING_IMAGE, "20%")
        (stop,) = await agent.steps(wait=10)
        assert stop.step_type == StepType.STOP_INSTALLATION
        await agent.answer(stop)
        assert await host_status(user, agent) is HostStatus.DISCOVERING

        await agent.wait_for_install()
        await agent.install()
        events = [event.name for event in await user.call(operations.LIST_EVENTS)]
    assert events.count("cluster_installation_canceled") == events.count("cluster_installation_reset") == 1
    assert events.count("cluster_prepare_installation_started") == 2


async def test_a_reset_during_an_install_stops_the_host_first(tmp_path: Path) -> None:
    async with installing(tmp_path) as (service, user, agent):
        await user.call(operations.RESET_CLUSTER, cluster_id=service.site.intent.cluster_id)
        assert [step.step_type for step in await agent.steps(wait=10)] == [StepType.STOP_INSTALLATION]
        assert await host_status(user, agent) is HostStatus.RESETTING


async def test_one_host_starts_over_while_the_cluster_installs(tmp_path: Path) -> None:
    async with installing(tmp_path) as (service, user, agent):
        assert (await user.call(operations.RESET_HOST, **agent.path)).status is HostStatus.RESETTING
        (stop,) = await agent.steps(wait=10)
        await agent.answer(stop)
        assert [step.step_type for step in await agent.steps(wait=10)] == [StepType.INSTALL]
        await agent.install()
        cluster = await user.call(operations.GET_CLUSTER, cluster_id=service.site.intent.cluster_id)
        assert cluster.status is ClusterStatus.FINALIZING


async def test_past_the_point_of_no_return_cancel_and_reset_are_refused(tmp_path: Path) -> None:
    async with installing(tmp_path) as (service, user, agent):
        cluster_id = service.site.intent.cluster_id
        await agent.reach(Stage.WAITING_FOR_CONTROL_PLANE)
        assert await refused(user, operations.RESET_CLUSTER, cluster_id=cluster_id) == "too-late-to-take-back"
        assert await refused(user, operations.RESET_HOST, **agent.path) == "host-not-resettable"
        await agent.reach(Stage.REBOOTING)
        assert await refused(user, operations.CANCEL_INSTALLATION, cluster_id=cluster_id) == "too-late-to-take-back"
