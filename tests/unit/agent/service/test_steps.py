"""The agent registers with node0 and runs its steps, through refusals and lost connections."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from agent.api.steps import InstallRequest, Step, StepType
from agent.inventory.host_id import read_host_id
from agent.model.host_documents import AgentPhase
from agent.model.host_paths import LIVE_TOKEN_FILE
from agent.model.inventory import Inventory
from agent.model.problems import Problem
from agent.model.states import InstallRole, Stage
from tests.fakes.agent.agent_lab import ANSWER_SECONDS, Lab
from tests.fakes.agent.scripted_service import HOST_TOKEN
from tests.fakes.inputs.intents import CLUSTER_ID, INFRA_ENV_ID

INVENTORY = Step(step_type=StepType.INVENTORY, step_id="inventory-12345678", args=("host",))
INSTALL = Step(
    step_type=StepType.INSTALL,
    step_id="install-12345678",
    args=(
        msgspec.json.encode(
            InstallRequest(
                cluster_id=CLUSTER_ID,
                infra_env_id=INFRA_ENV_ID,
                host_id="host",
                role=InstallRole.BOOTSTRAP,
                boot_device="/dev/no-such-disk",
            )
        ).decode(),
    ),
)


async def test_the_agent_registers_and_answers_a_step(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        registered = await lab.node0.registrations.get()
        lab.node0.give(INVENTORY)
        reply = await lab.node0.replies.get()
    assert registered.host_id == read_host_id(lab.machine)
    assert (reply.exit_code, reply.step_id) == (0, INVENTORY.step_id)
    assert msgspec.json.decode(reply.output, type=Inventory).hostname == "host1"
    assert lab.node0.tokens[0] == "token-of-agents"
    assert set(lab.node0.tokens[1:]) == {HOST_TOKEN}
    token = lab.machine.files.at(LIVE_TOKEN_FILE)
    assert (token.read_text(), token.stat().st_mode & 0o777) == (HOST_TOKEN, 0o600)
    await lab.until(lambda: lab.status.phase is AgentPhase.REGISTERED)


async def test_the_agent_long_polls_and_sends_its_clock(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        query = await lab.node0.polls.get()
    assert query["wait"] == "60"
    assert abs(int(query["timestamp"]) - lab.machine.clock.now().timestamp()) < 60


async def test_a_quick_step_is_answered_before_the_next_poll(lab: Lab) -> None:
    """So both use one connection."""
    lab.node0.give(INVENTORY)
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.polls.get()
        await lab.node0.replies.get()
        assert lab.node0.polls.empty()
        await lab.node0.polls.get()


async def test_the_agent_waits_for_node0_and_reports_it(lab: Lab) -> None:
    await lab.node0.stop()
    lab.start_agent()
    await lab.until(lambda: lab.status.detail.endswith("node0 is up; its service is starting, or has ended."))
    assert lab.status.phase is AgentPhase.WAITING_FOR_NODE0
    await lab.node0.start()
    await lab.until(lambda: lab.status.phase is AgentPhase.REGISTERED)


async def test_the_agent_continues_after_a_restart_of_node0(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.polls.get()
        await lab.node0.stop()
        await lab.until(lambda: lab.status.phase is AgentPhase.WAITING_FOR_NODE0)
        await lab.node0.start()
        lab.node0.give(INVENTORY)
        assert (await lab.node0.replies.get()).exit_code == 0
        queries = [await lab.node0.polls.get(), await lab.node0.polls.get()]
    assert lab.node0.registrations.qsize() == 1
    assert [query.get("lost") for query in queries] == ["true", None]


@pytest.mark.parametrize("status", [401, 404])
async def test_the_agent_registers_again_when_node0_does_not_know_it(lab: Lab, status: int) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.registrations.get()
        await lab.node0.polls.get()
        lab.node0.refuse_with = status
        lab.node0.give()
        await lab.until(lambda: lab.status.phase is AgentPhase.WAITING_FOR_NODE0)
        lab.node0.refuse_with = 0
        await lab.node0.registrations.get()


@pytest.mark.parametrize(("status", "is_problem"), [(401, True), (403, True), (409, True), (404, False), (503, False)])
async def test_the_agent_retries_after_a_refusal(lab: Lab, status: int, is_problem: bool) -> None:
    lab.node0.refuse_with = status
    lab.start_agent()
    await lab.until(lambda: bool(lab.node0.tokens) and lab.status.detail != "")
    assert bool(lab.status.problems) is is_problem
    lab.node0.refuse_with = 0
    await lab.until(lambda: lab.status.phase is AgentPhase.REGISTERED)
    assert not lab.status.problems


async def test_a_failed_install_is_reported_to_node0_and_shown_on_the_console(lab: Lab) -> None:
    lab.start_agent()
    lab.node0.give(INSTALL)
    async with asyncio.timeout(ANSWER_SECONDS):
        stages = [await lab.node0.progress.get(), await lab.node0.progress.get()]
        reply = await lab.node0.replies.get()
    assert [progress.current_stage for progress in stages] == [Stage.STARTING_INSTALLATION, Stage.FAILED]
    (problem,) = lab.status.problems
    assert stages[1].progress_info == reply.error == str(Problem.from_report(problem))
    assert (reply.exit_code, lab.status.phase) == (1, AgentPhase.FAILED)
    lab.node0.give()
    await lab.node0.polls.get()
    assert lab.status.phase is AgentPhase.FAILED
