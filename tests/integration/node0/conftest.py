"""The real service process over TLS on loopback, those who call it, and a host that behaves like an agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from agent.api.client import Client, pinned_tls
from agent.api.operations import TokenRole
from replay.programs import Service
from replay.site import Site, make_site
from tests.fakes.agent.agent import Agent
from tests.fakes.node0.cluster import register_cluster
from tests.fakes.node0.programs import serving


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


@pytest.fixture
async def service(site: Site) -> AsyncIterator[Service]:
    async with serving(site) as service:
        yield service


@pytest.fixture
async def user(service: Service) -> AsyncIterator[Client]:
    async with service.client(TokenRole.USER) as client:
        yield client


@pytest.fixture
async def anonymous(service: Service) -> AsyncIterator[aiohttp.ClientSession]:
    """HTTP as it is, with no token."""
    async with _session(service) as session:
        yield session


@pytest.fixture
async def session(service: Service) -> AsyncIterator[aiohttp.ClientSession]:
    """HTTP as it is, with the user's token."""
    async with _session(service, Authorization=service.site.token(TokenRole.USER)) as session:
        yield session


@pytest.fixture
async def agent(service: Service) -> AsyncIterator[Agent]:
    """A registered host of a registered cluster."""
    await register_cluster(service)
    agent = Agent(service)
    async with agent.client:
        await agent.register()
        yield agent


def _session(service: Service, **headers: str) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca), limit=0)
    return aiohttp.ClientSession(service.url, connector=connector, headers=headers)
