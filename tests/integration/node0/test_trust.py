"""Who may call what, and how a refusal looks: against the real service over TLS."""

from __future__ import annotations

import io
import ssl
from typing import Any

import aiohttp
import pytest

from agent.api import operations
from agent.api.client import Client, Refused, Unreachable
from agent.api.clusters import ClusterCreate
from agent.api.operations import BASE, TokenRole
from agent.api.steps import StepReply
from replay.programs import Service
from tests.fakes.agent.agent import Agent
from tests.fakes.node0.cluster import register_cluster

pytestmark = pytest.mark.integration

CLUSTERS = f"{BASE}/v2/clusters"


async def refusal(
    client: Client, operation: operations.Operation[Any, Any], body: object = None, **path: str
) -> Refused:
    with pytest.raises(Refused) as caught:
        await client.call(operation, body, **path)  # type: ignore[arg-type]  # strings that fill the path
    return caught.value


@pytest.mark.parametrize("header", ["Authorization", "X-Secret-Key", "Watcher-Authorization"])
async def test_three_headers_carry_a_token(service: Service, anonymous: aiohttp.ClientSession, header: str) -> None:
    """As upstream's clients send it: raw, without the word Bearer."""
    async with anonymous.get(CLUSTERS, headers={header: service.site.token(TokenRole.WATCHER)}) as response:
        assert (response.status, await response.json()) == (200, [])


async def test_no_token_and_a_bad_one_are_401_in_body_b(anonymous: aiohttp.ClientSession) -> None:
    async with anonymous.get(CLUSTERS) as response:
        assert response.status == 401
        assert (await response.json())["problem"] == "token-missing"
    async with anonymous.get(CLUSTERS, headers={"Authorization": "Bearer x.y.z"}) as response:
        assert (await response.json()).keys() == {"code", "message", "problem"}
        assert response.status == 401


async def test_an_expired_token_is_named_as_the_problem(service: Service, anonymous: aiohttp.ClientSession) -> None:
    token = service.site.token(TokenRole.USER, hours=-1)
    async with anonymous.get(CLUSTERS, headers={"Authorization": token}) as response:
        assert (await response.json())["problem"] == "token-expired"


async def test_the_agent_token_only_registers(service: Service) -> None:
    async with service.client(TokenRole.AGENT) as client:
        refused = await refusal(client, operations.LIST_CLUSTERS)
        assert (refused.status, refused.code) == (403, "role-not-allowed")
        refused = await refusal(
            client, operations.POST_STEP_REPLY, StepReply(step_type="x", step_id="x"), **Agent(service).path
        )
        assert refused.status == 403


async def test_a_watcher_token_cannot_change_anything(service: Service) -> None:
    async with service.client(TokenRole.WATCHER) as client:
        refused = await refusal(client, operations.INSTALL_CLUSTER, cluster_id=service.site.intent.cluster_id)
        assert refused.status == 403


async def test_a_hosts_token_is_for_its_own_routes(service: Service) -> None:
    """And for nothing while the host is not registered."""
    mine, other = Agent(service), Agent(service)
    await register_cluster(service)
    async with mine.client, service.client(TokenRole.HOST, host_id=mine.id) as other_host:
        assert (await refusal(other_host, operations.GET_HOST, **mine.path)).status == 401
        await mine.register()
        assert (await mine.client.call(operations.GET_HOST, **mine.path)).id == mine.id
        assert (await refusal(mine.client, operations.GET_HOST, **other.path)).code == "host-not-yours"


async def test_a_host_that_registers_before_the_infra_env_exists_gets_404(service: Service) -> None:
    with pytest.raises(Refused) as refused:
        await Agent(service).register()
    assert (refused.value.status, refused.value.code) == (404, "infra-env-unknown")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("DELETE", CLUSTERS, 405), ("HEAD", CLUSTERS, 405), ("GET", f"{CLUSTERS}/nosuch", 404)],
)
async def test_errors_are_json_in_body_a(
    service: Service, anonymous: aiohttp.ClientSession, method: str, path: str, status: int
) -> None:
    headers = {"Authorization": service.site.token(TokenRole.USER)}
    async with anonymous.request(method, path, headers=headers) as response:
        assert (response.status, response.content_type) == (status, "application/json")
        if method != "HEAD":
            body = await response.json()
            assert (body["kind"], body["code"], body["id"], body["href"]) == ("Error", str(status), status, "")


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 400), (b"{}", 400), (b'{"name": 1}', 400), (b" " * (5 * 1024 * 1024), 413)],
    ids=["not JSON", "fields missing", "wrong type", "too large"],
)
async def test_a_body_that_does_not_fit_is_refused(
    service: Service, anonymous: aiohttp.ClientSession, body: bytes, status: int
) -> None:
    headers = {"Authorization": service.site.token(TokenRole.USER)}
    async with anonymous.post(CLUSTERS, headers=headers, data=io.BytesIO(body)) as response:
        assert response.status == status
        assert (await response.json())["kind"] == "Error"


async def test_a_cluster_of_another_id_is_a_conflict(service: Service) -> None:
    async with service.client(TokenRole.USER) as user:
        for name, wanted in (("one", 201), ("two", 409)):
            try:
                await user.call(operations.REGISTER_CLUSTER, ClusterCreate(name=name, openshift_version="v1"))
                assert wanted == 201
            except Refused as refused:
                assert refused.status == wanted


async def test_health_needs_no_token(anonymous: aiohttp.ClientSession) -> None:
    for path in ("/health", "/ready"):
        async with anonymous.get(path) as response:
            assert response.status == 200


async def test_only_the_pinned_authority_is_believed(service: Service) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.load_default_certs()
    async with Client(url=service.url, tls=tls, token="") as client:
        with pytest.raises(Unreachable):
            await client.call(operations.LIST_CLUSTERS)


async def test_fields_that_mean_nothing_are_ignored_and_named(agent: Agent, session: aiohttp.ClientSession) -> None:
    url = f"{BASE}/v2/clusters/{agent.service.site.intent.cluster_id}"
    async with session.patch(url, json={"tags": "one", "olm_operators": [], "a\r\nb\u2028": 1}) as response:
        assert response.status == 201
        assert (await response.json())["tags"] == "one"
        assert response.headers["Warning"] == '299 - "V2UpdateCluster ignores the fields olm_operators, a??b?"'
    async with session.patch(url, data=b'{"\xff": 1}') as response:
        assert response.headers["Warning"].endswith('fields ?"')
    async with session.patch(url, json={"tags": "two"}) as response:
        assert "Warning" not in response.headers
