"""One simulated host: registers, answers every step as a good machine, and installs when told to."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from agent.api import routes
from agent.api.client import Client
from agent.api.inventory import Inventory
from agent.api.resources import HostRegister
from agent.api.routes import TokenRole
from agent.api.states import STAGES
from agent.api.steps import InstallRequest, Progress, Step, StepReply, StepType
from tests.fakes.agent import good_answer, inventory
from tests.fakes.node0 import Service


class Tally:
    """What all hosts together did. `last_answer`: when the last step was answered, by the monotonic clock."""

    def __init__(self) -> None:
        self.requests = 0
        self.seconds: list[float] = []
        self.last_answer = 0.0

    @contextmanager
    def request(self) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.requests += 1
        self.seconds.append(time.monotonic() - started)


def machine(number: int) -> Inventory:
    """Like no other: its own MAC, address and name. Number 0 has the rendezvous address."""
    mac = f"52:54:00:{number >> 16 & 255:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"
    address = f"127.{number >> 16 & 255}.{number >> 8 & 255}.{(number & 255) + 1 if number < 255 else number & 255}"
    found = inventory(mac=mac, address=address, hostname=f"host{number}")
    return msgspec.structs.replace(found, machine_id=f"{number:032x}")


class SimulatedHost:
    def __init__(self, service: Service, tls: ssl.SSLContext, number: int, tally: Tally) -> None:
        self.id = f"{number:08x}-0000-4000-8000-000000000000"
        self.number = number
        self._machine = machine(number)
        self._tally = tally
        self._infra_env_id = service.site.intent.infra_env_id
        self._client = Client(url=service.url, tls=tls, token=service.site.token(TokenRole.AGENT))

    async def __aenter__(self) -> SimulatedHost:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__(None, None, None)

    async def register(self) -> None:
        with self._tally.request():
            reply = await self._client.call(
                routes.REGISTER_HOST, HostRegister(host_id=self.id), infra_env_id=self._infra_env_id
            )
        self._client.use_token(reply.token)

    async def ask(self, *, wait: int) -> tuple[Step, ...]:
        query = {"timestamp": int(time.time()), "wait": wait}
        steps = await self._client.call(
            routes.GET_INSTRUCTIONS, query=query, timeout=300, infra_env_id=self._infra_env_id, host_id=self.id
        )
        return steps.instructions

    async def live(self, installed: asyncio.Event) -> None:
        """Until the install is done; `installed` is set then."""
        while True:
            for step in await self.ask(wait=60):
                if step.step_type == StepType.INSTALL:
                    await self._install(msgspec.json.decode(step.args[0], type=InstallRequest))
                    installed.set()
                    return
                await self._answer(step)

    async def _answer(self, step: Step) -> None:
        output = msgspec.json.encode(good_answer(step, self._machine)).decode()
        reply = StepReply(step_type=step.step_type, step_id=step.step_id, output=output)
        with self._tally.request():
            await self._client.call(
                routes.POST_STEP_REPLY, reply, timeout=300, infra_env_id=self._infra_env_id, host_id=self.id
            )
        self._tally.last_answer = time.monotonic()

    async def _install(self, request: InstallRequest) -> None:
        for stage in STAGES[request.role]:
            with self._tally.request():
                await self._client.call(
                    routes.UPDATE_PROGRESS,
                    Progress(current_stage=stage),
                    timeout=300,
                    infra_env_id=self._infra_env_id,
                    host_id=self.id,
                )
