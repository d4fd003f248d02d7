"""One simulated host: registers, answers every step as a recorded machine, and installs when told to."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from agent.api import operations
from agent.api.checks import ImagesReply
from agent.api.client import Client
from agent.api.hosts import HostRegister
from agent.api.operations import TokenRole
from agent.api.steps import InstallRequest, NtpReply, Progress, Step, StepReply, StepType
from agent.model.states import STAGES
from agent.record.machine import MachineRecord
from tests.fakes.agent.agent import HostPath, good_answer
from tests.fakes.node0.programs import Service

PATIENCE = 300
"""Seconds: what is slow is measured, not given up."""


class Tally:
    """What all hosts together did. seconds: of each request; ends, answers: Unix seconds, when a request had ended and
    when a step was answered."""

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
        self._client = Client(url=service.url, tls=tls, token=service.site.token(TokenRole.AGENT))

    async def __aenter__(self) -> SimulatedHost:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__(None, None, None)

    async def register(self) -> None:
        body = HostRegister(host_id=self._record.host_id)
        with self._tally.request():
            reply = await self._client.call(
                operations.REGISTER_HOST, body, timeout=PATIENCE, infra_env_id=self._path["infra_env_id"]
            )
        self._client.use_token(reply.token)

    async def ask(self, *, wait: int) -> tuple[Step, ...]:
        query = {"timestamp": int(time.time()), "wait": wait}
        steps = await self._client.call(operations.GET_INSTRUCTIONS, query=query, timeout=PATIENCE, **self._path)
        return steps.instructions

    async def live(self) -> None:
        """Until its install is done."""
        while True:
            for step in await self.ask(wait=60):
                if step.step_type == StepType.INSTALL:
                    await self._install(msgspec.json.decode(step.args[0], type=InstallRequest))
                    return
                await self._answer(step)

    async def _answer(self, step: Step) -> None:
        output = msgspec.json.encode(self._found(step)).decode()
        reply = StepReply(step_type=step.step_type, step_id=step.step_id, output=output)
        self._tally.answers.append(time.time())
        with self._tally.request():
            await self._client.call(operations.POST_STEP_REPLY, reply, timeout=PATIENCE, **self._path)

    def _found(self, step: Step) -> object:
        """As the machine answered when it was recorded; of what no record knows, all is well."""
        match step.step_type:
            case StepType.NTP_SYNCHRONIZER:
                return NtpReply(ntp_sources=self._record.ntp_sources)
            case StepType.CONTAINER_IMAGE_AVAILABILITY:
                return ImagesReply(images=self._record.images)
            case _:
                return good_answer(step, self._record.inventory)

    async def _install(self, request: InstallRequest) -> None:
        for stage in STAGES[request.role]:
            with self._tally.request():
                await self._client.call(
                    operations.UPDATE_PROGRESS, Progress(current_stage=stage), timeout=PATIENCE, **self._path
                )
