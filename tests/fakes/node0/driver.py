"""The service and the driver together, and a host that comes as soon as they let it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from agent.api.client import Refused
from replay.programs import Service
from replay.site import Site
from tests.fakes.agent.agent import Agent
from tests.fakes.node0.programs import driving, serving


@contextlib.asynccontextmanager
async def leading(site: Site, port: int) -> AsyncIterator[Service]:
    """Service and driver, as on node0."""
    async with serving(site, port=port) as service, driving(service):
        yield service


async def register(agent: Agent) -> None:
    """As an agent does: again, until the driver has registered the infra-env."""
    async with asyncio.timeout(30):
        while True:
            try:
                await agent.register()
                return
            except Refused as refusal:
                assert refusal.code == "infra-env-unknown"
                await asyncio.sleep(0.1)
