"""One simulated host: registers, answers every step as a recorded machine, and installs when instructed."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from agent.api import operations
from agent.api.client import Client
from agent.api.hosts import HostRegister
from agent.api.operations import TokenRole
from agent.api.steps import InstallRequest, Progress, Step, StepReply, StepType
from agent.model.states import STAGES
from agent.record.machine import MachineRecord
from replay.answers import HostPath, recorded_answer
from replay.programs import Service

TIMEOUT_SECONDS = 300
"""Long, because a swarm measures slow requests instead of aborting them."""


class Tally:
    """The requests of all hosts. `seconds`: duration of each; `ends`: when each ended; `answers`: when each step was
    answered (Unix seconds)."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.ends: list[float] = []
        self.answers: list[float] = []

    @contextmanager
    def request(self) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.seconds.append(time.monotonic() - started)
        self.ends.append(time.time())


class SimulatedHost:
    def __init__(self, service: Service, tls: ssl.SSLContext, record: MachineRecord, tally: Tally) -> None:
        self._record = record
        self._tally = tally
        self._path = HostPath(infra_env_id=service.site.intent.infra_env_id, host_id=record.host_id)
        self._may_wait = asyncio.Event()
        self._may_wait.set()
        self._was_cut = False
        self._waiting: asyncio.Task[tuple[Step, ...]] | None = None
        self._client = Client(url=service.url, tls=tls, token=service.site.token(TokenRole.AGENT))

    async def __aenter__(self) -> SimulatedHost:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__(None, None, None)

    def stop_waiting(self) -> None:
        """End the request that waits for instructions, with its connection."""
        self._may_wait.clear()
        if self._waiting is not None:
            self._waiting.cancel()

    def wait_again(self) -> None:
        self._may_wait.set()

    async def register(self) -> None:
        body = HostRegister(host_id=self._record.host_id)
        with self._tally.request():
            reply = await self._client.call(
                operations.REGISTER_HOST, body, timeout=TIMEOUT_SECONDS, infra_env_id=self._path["infra_env_id"]
            )
        self._client.use_token(reply.token)

    async def instructions(self, *, wait: int, lost: bool = False) -> tuple[Step, ...]:
        """`lost`: the answer before may have been lost."""
        query: dict[str, str | int] = {"timestamp": int(time.time()), "wait": wait, "lost": str(lost).lower()}
        steps = await self._client.call(operations.GET_INSTRUCTIONS, query=query, timeout=TIMEOUT_SECONDS, **self._path)
        return steps.instructions

    async def install_when_instructed(self) -> None:
        """Answer steps until the one that installs, and install.

        As the agent, it answers on the connection on which it waits for instructions. It reports its stages there, too:
        an agent has a second connection for each of them for a second, and its stages are minutes apart.
        """
        while True:
            for step in await self._next_steps():
                if step.step_type == StepType.INSTALL:
                    await self._report_stages(msgspec.json.decode(step.args[0], type=InstallRequest))
                    return
                await self.answer(step)

    async def _next_steps(self) -> tuple[Step, ...]:
        """None when `stop_waiting` has cut the connection."""
        await self._may_wait.wait()
        lost, self._was_cut = self._was_cut, False
        self._waiting = asyncio.create_task(self.instructions(wait=60, lost=lost))
        await asyncio.wait({self._waiting})
        self._was_cut = self._waiting.cancelled()
        return () if self._was_cut else self._waiting.result()

    async def answer_once(self, tally: Tally | None = None) -> None:
        """Request instructions without waiting for any, and answer them. `tally`: counts the request."""
        with (tally or Tally()).request():
            steps = await self.instructions(wait=0)
        for step in steps:
            await self.answer(step)

    async def answer(self, step: Step) -> None:
        output = msgspec.json.encode(recorded_answer(step, self._record)).decode()
        reply = StepReply(step_type=step.step_type, step_id=step.step_id, output=output)
        self._tally.answers.append(time.time())
        with self._tally.request():
            await self._client.call(operations.POST_STEP_REPLY, reply, timeout=TIMEOUT_SECONDS, **self._path)

    async def _report_stages(self, request: InstallRequest) -> None:
        for stage in STAGES[request.role]:
            with self._tally.request():
                await self._client.call(
                    operations.UPDATE_PROGRESS, Progress(current_stage=stage), timeout=TIMEOUT_SECONDS, **self._path
                )
