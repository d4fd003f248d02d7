"""Which of a host's requests for instructions gets the steps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from agent.api.steps import Steps, StepType
from agent.model.states import HostStatus
from node0.instructions.steps import StepPlan
from node0.reconcile.state_manager import StateManager
from node0.reconcile.transaction import Transaction
from node0.rest.operations.instructions import Instructions
from node0.store.records import Records
from node0.store.store import Store
from node0.trust.scrub import Scrubber
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import HOST_ID, host, site

ANSWER_SECONDS = 5


@dataclass
class Site:
    """One host, that has just been sent its first step."""

    clock: ManualClock
    steps: StepPlan
    state_manager: StateManager
    instructions: Instructions

    async def poll(self, *, wait: int = 0, lost: bool = False) -> Steps:
        infra_env_id = host().infra_env_id
        return await self.instructions.get(infra_env_id=infra_env_id, host_id=HOST_ID, wait=wait, lost=lost)

    async def open_poll(self) -> asyncio.Task[Steps]:
        """A request that waits."""
        task = asyncio.create_task(self.poll(wait=60))
        await asyncio.sleep(0)  # now it waits for a change
        return task

    async def change(self) -> None:
        """Something about the host changes, and a step is due."""
        self.steps.forget(HOST_ID)

        def rename(transaction: Transaction) -> None:
            record = transaction.records.hosts[HOST_ID]
            transaction.put_host(msgspec.structs.replace(record, requested_hostname="other"))

        await self.state_manager.apply(rename)


@pytest.fixture
async def node0(tmp_path: Path) -> AsyncIterator[Site]:
    store = Store(tmp_path / "node0.db")
    await store.open()
    await store.save(Records(), site(host(HostStatus.DISCOVERING, inventory=None)), [])
    clock = ManualClock()
    state_manager = StateManager(store=store, records=await store.load(), clock=clock)
    steps = StepPlan(clock=clock)
    instructions = Instructions(state_manager=state_manager, steps=steps, clock=clock, scrubber=Scrubber([]))
    found = Site(clock, steps, state_manager, instructions)
    assert kinds(await found.poll()) == [StepType.INVENTORY]
    yield found
    await store.close()


def kinds(answer: Steps) -> list[str]:
    return [step.step_type for step in answer.instructions]


async def test_of_two_open_requests_the_newer_one_gets_the_step(node0: Site) -> None:
    """The connection of the older one may be dead: the host lost it, or its power."""
    older, newer = await node0.open_poll(), await node0.open_poll()
    async with asyncio.timeout(ANSWER_SECONDS):
        await node0.change()
        assert kinds(await newer) == [StepType.INVENTORY]
        answer = await older
    assert (answer.instructions, answer.next_instruction_seconds) == ((), 60)


async def test_a_request_from_before_a_registration_gets_no_step(node0: Site) -> None:
    before = await node0.open_poll()
    node0.steps.forget_requests(HOST_ID)
    async with asyncio.timeout(ANSWER_SECONDS):
        await node0.change()
        assert (await before).instructions == ()
        assert kinds(await node0.poll()) == [StepType.INVENTORY]


async def test_the_steps_of_a_lost_answer_are_sent_again_at_once(node0: Site) -> None:
    assert kinds(await node0.poll()) == []
    await node0.change()
    assert kinds(await node0.poll()) == [StepType.INVENTORY]
    assert kinds(await node0.poll(lost=True)) == [StepType.INVENTORY]


async def test_steps_before_the_lost_answer_are_not_sent_again(node0: Site) -> None:
    assert kinds(await node0.poll()) == []
    assert kinds(await node0.poll(lost=True)) == []
