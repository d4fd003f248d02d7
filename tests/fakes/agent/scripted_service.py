"""A service for agents over TLS on loopback, which does only what a test scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec
from aiohttp import web

from agent.api.errors import InfraErrorBody
from agent.api.hosts import HostRegister, HostRegistration, NextStepRunner
from agent.api.operations import BASE
from agent.api.steps import Progress, Step, StepReply, Steps
from agent.model.states import HostStatus
from tests.fakes.system.tls import LoopbackTls

HOSTS = BASE + "/v2/infra-envs/{infra_env_id}/hosts"
HOST_TOKEN = "token-of-one-host"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ScriptedService:
    """`give` queues steps; `replies`, `progress`, `polls`, `registrations` and `logs` (their queries) are what agents
    said.

    `refuse_with`: status of every answer from now on, 0 for real answers.
    """

    def __init__(self, tls: LoopbackTls) -> None:
        self._tls = tls
        self._steps: asyncio.Queue[Sequence[Step]] = asyncio.Queue()
        self._runner: web.AppRunner | None = None
        self.port = 0
        self.refuse_with = 0
        self.registrations: asyncio.Queue[HostRegister] = asyncio.Queue()
        self.replies: asyncio.Queue[StepReply] = asyncio.Queue()
        self.progress: asyncio.Queue[Progress] = asyncio.Queue()
        self.polls: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self.logs: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self.tokens: list[str] = []

    def give(self, *steps: Step) -> None:
        self._steps.put_nowait(steps)

    async def start(self) -> None:
        """Listen on a free port, or on the same one again after `stop`."""
        app = web.Application(middlewares=[self._refusal])
        app.router.add_post(HOSTS, self._register)
        app.router.add_get(HOSTS + "/{host_id}/instructions", self._instructions)
        app.router.add_post(HOSTS + "/{host_id}/instructions", self._reply)
        app.router.add_put(HOSTS + "/{host_id}/progress", self._update_progress)
        app.router.add_post(BASE + "/v2/clusters/{cluster_id}/logs", self._take_logs)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, ssl_context=self._tls.server_context())
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @web.middleware
    async def _refusal(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        self.tokens.append(request.headers["Authorization"].removeprefix("Bearer "))
        if self.refuse_with:
            body = msgspec.json.encode(InfraErrorBody(code=self.refuse_with, message="not now"))
            return web.Response(status=self.refuse_with, body=body)
        return await handler(request)

    async def _register(self, request: web.Request) -> web.Response:
        body = msgspec.json.decode(await request.read(), type=HostRegister)
        self.registrations.put_nowait(body)
        registration = HostRegistration(
            id=body.host_id,
            href="",
            infra_env_id=request.match_info["infra_env_id"],
            cluster_id="",
            status=HostStatus.DISCOVERING,
            status_info="",
            requested_hostname="node0",
            next_step_runner_command=NextStepRunner(command="", args=("{}",)),
            token=HOST_TOKEN,
        )
        return web.Response(status=201, body=msgspec.json.encode(registration))

    async def _instructions(self, request: web.Request) -> web.Response:
        self.polls.put_nowait(dict(request.query))
        steps = Steps(instructions=tuple(await self._steps.get()), next_instruction_seconds=0)
        return web.Response(body=msgspec.json.encode(steps))

    async def _reply(self, request: web.Request) -> web.Response:
        self.replies.put_nowait(msgspec.json.decode(await request.read(), type=StepReply))
        return web.Response(status=204)

    async def _update_progress(self, request: web.Request) -> web.Response:
        self.progress.put_nowait(msgspec.json.decode(await request.read(), type=Progress))
        return web.Response()

    async def _take_logs(self, request: web.Request) -> web.Response:
        assert b"\x1f\x8b" in await request.read()
        self.logs.put_nowait(dict(request.query))
        return web.Response(status=204)
