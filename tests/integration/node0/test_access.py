"""Each operation is called with each kind of token: callers with the role pass, the others get 401 or 403, no more."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from string import Formatter
from typing import Any

import aiohttp
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.utils import base64url_encode

from agent.api import operations, requests
from agent.api.client import Client, Refused, pinned_tls
from agent.api.operations import BASE, OPERATIONS, UNSUPPORTED, Operation, TokenRole, UnsupportedOperation
from node0.rest.server.auth import EVERY_ROLE
from node0.trust import tokens
from node0.trust.failures import BURST
from replay.programs import Service
from replay.site import Site
from tests.fakes.agent.agent import Agent
from tests.fakes.node0.cluster import register_cluster
from tests.fakes.node0.programs import serving

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


def claims(site: Site) -> dict[str, object]:
    """Those of a user."""
    return {"role": "user", "cluster_id": site.intent.cluster_id, "iat": 0, "exp": 2**40, "jti": "x"}


def endless(site: Site) -> str:
    unending = claims(site)
    del unending["exp"]
    return jwt.encode(unending, site.key, algorithm="ES256")


def signed_with_the_public_key(site: Site) -> str:
    """As if that were a password that both sides share: the classic confusion of algorithms."""
    private = serialization.load_pem_private_key(site.key.encode(), password=None)
    pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    said = b".".join(map(base64url_encode, (b'{"alg":"HS256","typ":"JWT"}', json.dumps(claims(site)).encode())))
    return b".".join((said, base64url_encode(hmac.digest(pem, said, "sha256")))).decode()


BAD: dict[str, Callable[[Site], str]] = {
    "none": lambda _: "",
    "no token": lambda _: "Bearer x.y.z",
    "expired": lambda site: site.token(TokenRole.USER, hours=-1),
    "without an end": endless,
    "of another cluster": lambda site: minted(site, cluster_id=str(uuid.uuid4())),
    "of another key": lambda site: minted(site, key=tokens.new_key()),
    "of another role": lambda site: forged(site, role="agent"),
    "made to last": lambda site: forged(site, exp=2**40),
    "cut short": lambda site: site.token(TokenRole.USER)[:-2],
    "unsigned": lambda site: jwt.encode(claims(site), "", algorithm="none"),
    "signed with the public key": signed_with_the_public_key,
    "of a host that is not registered": lambda site: site.token(TokenRole.HOST, host_id=OTHER),
}

ALL_OPERATIONS: tuple[Operation[Any, Any] | UnsupportedOperation, ...] = (*OPERATIONS, *UNSUPPORTED)


async def status(
    session: aiohttp.ClientSession, row: Operation[Any, Any] | UnsupportedOperation, token: str, *, host_id: str = HOST
) -> int:
    """What `row` answers. There is no cluster and no host: an admitted caller gets 400, 404 or 501, or a list."""
    ids = {name: str(uuid.uuid4()) for _, name, _, _ in Formatter().parse(row.path) if name}
    path = row.path.format(**{**ids, "host_id": host_id})
    headers = {"Authorization": token} if token else {}
    async with session.request(row.method, BASE + path, headers=headers, data=b"[]") as response:
        if response.status in {401, 403}:
            assert (await response.json()).keys() == {"code", "message", "problem"}
        return response.status


@pytest.mark.parametrize("role", TokenRole)
async def test_every_operation_with_every_role(
    service: Service, anonymous: aiohttp.ClientSession, role: TokenRole
) -> None:
    token, host_id = service.site.token(role), HOST
    if role is TokenRole.HOST:
        await register_cluster(service)
        agent = Agent(service)
        async with agent.client:
            token, host_id = (await agent.register()).token, agent.id
    for row in ALL_OPERATIONS:
        answered = await status(anonymous, row, token, host_id=host_id)
        if role in (row.roles if isinstance(row, Operation) else EVERY_ROLE):
            assert answered not in {401, 403, 429, 500}, row.operation_id
        else:
            assert answered == 403, row.operation_id


async def test_every_operation_with_every_bad_token(service: Service) -> None:
    """From addresses that have not reached 429: each token is refused for its own reason."""
    addresses = (f"127.0.{high}.{low}" for high in range(1, 255) for low in range(1, 255))
    for kind, make in BAD.items():
        token = make(service.site)
        for first in range(0, len(ALL_OPERATIONS), BURST):
            connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca), local_addr=(next(addresses), 0))
            async with aiohttp.ClientSession(service.url, connector=connector) as session:
                for row in ALL_OPERATIONS[first : first + BURST]:
                    assert await status(session, row, token) == 401, f"{row.operation_id} with a token: {kind}"


async def test_a_hosts_token_opens_no_other_hosts_routes(agent: Agent, anonymous: aiohttp.ClientSession) -> None:
    own = [row for row in OPERATIONS if "{host_id}" in row.path and TokenRole.HOST in row.roles]
    assert len(own) >= 5
    for row in own:
        assert await status(anonymous, row, agent.token, host_id=OTHER) == 403, row.operation_id
        assert await status(anonymous, row, agent.token, host_id=agent.id) in {400, 404}, row.operation_id


async def refusal(client: Client, operation: Operation[Any, Any], body: object = None, **path: str) -> str:
    with pytest.raises(Refused) as caught:
        await client.call(operation, body, **path)  # type: ignore[arg-type]  # strings that fill the path
    return caught.value.code


async def test_a_token_from_before_the_host_registered_again_is_refused(agent: Agent) -> None:
    """A recorded registration cannot be replayed once the host itself has registered again."""
    old = agent.token
    await agent.steps()
    new = (await agent.register()).token
    await agent.steps()
    agent.client.use_token(old)
    assert await refusal(agent.client, operations.GET_INSTRUCTIONS, **agent.path) == "token-replaced"
    agent.client.use_token(new)
    await agent.steps()


async def test_no_token_of_a_host_outlives_its_registration(agent: Agent, user: Client) -> None:
    """Not the last one, and not one from before: the host has to register again, which its agent does after a 401."""
    given = [agent.token, (await agent.register()).token]
    await user.call(operations.DEREGISTER_HOST, **agent.path)
    for token in given:
        agent.client.use_token(token)
        assert await refusal(agent.client, operations.GET_INSTRUCTIONS, **agent.path) == "host-unknown"
    await agent.register()
    await agent.steps()


async def test_a_revoked_token_is_refused_from_then_on(service: Service) -> None:
    """Also after a restart."""
    token = service.site.token(TokenRole.WATCHER)
    tls = pinned_tls(service.site.ca)
    async with service.client(TokenRole.USER) as user, Client(url=service.url, tls=tls, token=token) as watcher:
        assert await watcher.call(operations.LIST_CLUSTERS) == []
        await user.call(operations.REVOKE_TOKEN, requests.Revocation(token=token))
        assert await refusal(watcher, operations.LIST_CLUSTERS) == "token-revoked"
        assert await refusal(user, operations.REVOKE_TOKEN, requests.Revocation(token="x.y.z")) == "token-invalid"
        await service.stop()
        async with serving(service.site, port=service.port):
            assert await refusal(watcher, operations.LIST_CLUSTERS) == "token-revoked"


async def test_failures_are_limited_but_who_is_known_goes_on(service: Service) -> None:
    tls = pinned_tls(service.site.ca)
    async with service.client(TokenRole.USER) as user, Client(url=service.url, tls=tls, token="x") as unknown:
        await user.call(operations.LIST_CLUSTERS)
        codes = [await refusal(unknown, operations.LIST_CLUSTERS) for _ in range(BURST + 5)]
        assert (codes[0], codes[-1]) == ("token-invalid", "too-many-failures")
        await user.call(operations.LIST_CLUSTERS)


async def test_plain_http_gets_no_answer_where_tls_is_spoken(service: Service) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write(b"GET /api/assisted-install/v2/clusters HTTP/1.1\r\nHost: node0\r\n\r\n")
    async with asyncio.timeout(10):
        answered = await reader.read()
    writer.close()
    assert b"HTTP" not in answered
