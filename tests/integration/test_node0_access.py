"""Every operation with every kind of caller: who may, is let through; who may not, is told 401 or 403, no more."""

from __future__ import annotations

import asyncio
import base64
import json
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from string import Formatter
from typing import Any

import aiohttp
import jwt
import pytest

from agent.api import requests as q
from agent.api import resources as r
from agent.api import routes
from agent.api.client import Client, Refused, pinned_tls
from agent.api.routes import BASE, LEFT_OUT, ROUTES, LeftOut, Route, TokenRole
from node0.rest.auth import EVERY_ROLE
from node0.trust import tokens
from node0.trust.failures import BURST
from tests.fakes.agent import Agent
from tests.fakes.node0 import Service, serving
from tests.fakes.site import Site, make_site

pytestmark = pytest.mark.integration

HOST = str(uuid.uuid4())
OTHER = str(uuid.uuid4())


def forged(site: Site, **changes: object) -> str:
    """The user's token with other claims under its own signature."""
    header, payload, signature = site.token(TokenRole.USER).split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    changed = base64.urlsafe_b64encode(json.dumps({**claims, **changes}).encode()).decode().rstrip("=")
    return f"{header}.{changed}.{signature}"


def minted(site: Site, *, key: str = "", cluster_id: str = "") -> str:
    return tokens.mint(
        key or site.key,
        role=TokenRole.USER,
        cluster_id=cluster_id or site.intent.cluster_id,
        expires=datetime.now(UTC) + timedelta(hours=1),
    )


def unsigned(site: Site) -> str:
    claims = {"role": "user", "cluster_id": site.intent.cluster_id, "iat": 0, "exp": 2**40}
    return jwt.encode(claims, "", algorithm="none")


BAD: dict[str, Callable[[Site], str]] = {
    "none": lambda _: "",
    "expired": lambda site: site.token(TokenRole.USER, hours=-1),
    "of another cluster": lambda site: minted(site, cluster_id=str(uuid.uuid4())),
    "of another key": lambda site: minted(site, key=tokens.new_key()),
    "tampered": lambda site: forged(site, role="agent"),
    "unsigned": unsigned,
}

OPERATIONS: tuple[Route[Any, Any] | LeftOut, ...] = (*ROUTES, *LEFT_OUT)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(make_site(tmp_path)) as service:
        yield service


@pytest.fixture
async def session(service: Service) -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca))
    async with aiohttp.ClientSession(service.url, connector=connector) as session:
        yield session


async def status(
    session: aiohttp.ClientSession, row: Route[Any, Any] | LeftOut, token: str, *, host_id: str = HOST
) -> int:
    """What `row` answers. There is no cluster and no host: who is admitted is told 400, 404 or 501, or gets a list."""
    ids = {name: str(uuid.uuid4()) for _, name, _, _ in Formatter().parse(row.path) if name}
    path = row.path.format(**{**ids, "host_id": host_id})
    headers = {"Authorization": token} if token else {}
    async with session.request(row.method, BASE + path, headers=headers, data=b"[]") as response:
        if response.status in {401, 403}:
            assert (await response.json()).keys() == {"code", "message", "problem"}
        return response.status


@pytest.mark.parametrize("role", TokenRole)
async def test_every_operation_with_every_role(
    service: Service, session: aiohttp.ClientSession, role: TokenRole
) -> None:
    token = service.site.token(role, host_id=HOST if role is TokenRole.HOST else "")
    for row in OPERATIONS:
        answered = await status(session, row, token)
        if role in (row.roles if isinstance(row, Route) else EVERY_ROLE):
            assert answered not in {401, 403, 429, 500}, row.operation
        else:
            assert answered == 403, row.operation


async def test_every_operation_with_every_bad_token(service: Service, session: aiohttp.ClientSession) -> None:
    """They are so many that their address is told 429 after a while, which is a refusal too."""
    for kind, make in BAD.items():
        token = make(service.site)
        for row in OPERATIONS:
            assert await status(session, row, token) in {401, 429}, f"{row.operation} with a token: {kind}"


async def test_a_hosts_token_opens_no_other_hosts_routes(service: Service, session: aiohttp.ClientSession) -> None:
    token = service.site.token(TokenRole.HOST, host_id=HOST)
    own = [row for row in ROUTES if "{host_id}" in row.path and TokenRole.HOST in row.roles]
    assert len(own) >= 5
    for row in own:
        assert await status(session, row, token, host_id=OTHER) == 403, row.operation
        assert await status(session, row, token, host_id=HOST) in {400, 404}, row.operation


async def registered(service: Service) -> Agent:
    async with service.client(TokenRole.USER) as user:
        await user.call(routes.REGISTER_CLUSTER, r.ClusterCreate(name="demo", openshift_version="v1"))
        await user.call(routes.REGISTER_INFRA_ENV, r.InfraEnvCreate(name="demo"))
    return Agent(service)


async def refusal(client: Client, route: Route[Any, Any], body: object = None, **path: str) -> str:
    with pytest.raises(Refused) as caught:
        await client.call(route, body, **path)  # type: ignore[arg-type]  # strings that fill the path
    return caught.value.code


async def test_a_token_from_before_the_host_registered_again_is_refused(service: Service) -> None:
    """What somebody has recorded of a host cannot be replayed once the host itself has come back."""
    agent = await registered(service)
    async with agent.client:
        old = (await agent.register()).token
        await agent.steps()
        new = (await agent.register()).token
        await agent.steps()
        agent.client.use_token(old)
        assert await refusal(agent.client, routes.GET_INSTRUCTIONS, **agent.path) == "token-replaced"
        agent.client.use_token(new)
        await agent.steps()


async def test_a_revoked_token_is_refused_from_then_on(service: Service) -> None:
    """Also after a restart."""
    token = service.site.token(TokenRole.WATCHER)
    tls = pinned_tls(service.site.ca)
    async with service.client(TokenRole.USER) as user, Client(url=service.url, tls=tls, token=token) as watcher:
        assert await watcher.call(routes.LIST_CLUSTERS) == []
        await user.call(routes.REVOKE_TOKEN, q.Revocation(token=token))
        assert await refusal(watcher, routes.LIST_CLUSTERS) == "token-revoked"
        assert await refusal(user, routes.REVOKE_TOKEN, q.Revocation(token="x.y.z")) == "token-invalid"
        await service.stop()
        async with serving(service.site, port=service.port):
            assert await refusal(watcher, routes.LIST_CLUSTERS) == "token-revoked"


async def test_failures_are_limited_but_who_is_known_goes_on(service: Service) -> None:
    tls = pinned_tls(service.site.ca)
    async with service.client(TokenRole.USER) as user, Client(url=service.url, tls=tls, token="x") as stranger:
        await user.call(routes.LIST_CLUSTERS)
        codes = [await refusal(stranger, routes.LIST_CLUSTERS) for _ in range(BURST + 5)]
        assert (codes[0], codes[-1]) == ("token-invalid", "too-many-failures")
        await user.call(routes.LIST_CLUSTERS)


async def test_plain_http_gets_no_answer_where_tls_is_spoken(service: Service) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write(b"GET /api/assisted-install/v2/clusters HTTP/1.1\r\nHost: node0\r\n\r\n")
    async with asyncio.timeout(10):
        answered = await reader.read()
    writer.close()
    assert b"HTTP" not in answered
