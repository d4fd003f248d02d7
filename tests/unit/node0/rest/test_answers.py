"""What is large is written in pieces, and arrives as if it had been written whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import aiohttp
import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from multidict import CIMultiDict

from agent.api import operations
from agent.api.clusters import Cluster
from agent.api.hosts import Host
from agent.api.operations import Operation
from node0.rest.server.answers import AT_ONCE, PIECE_BYTES, WithHosts, respond
from node0.rest.views.clusters import cluster_view
from node0.rest.views.hosts import host_view
from tests.fakes.node0.records import cluster, host, site

Ask = Callable[[Operation[Any, Any], Any], Awaitable[aiohttp.ClientResponse]]


@pytest.fixture
async def ask() -> AsyncIterator[Ask]:
    """Get a reply by a operation of the table, from a server that has nothing else to say."""
    queued: list[tuple[Operation[Any, Any], Any]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        return await respond(request, *queued.pop(), CIMultiDict())

    app = web.Application()
    app.router.add_get("/", answer)
    async with TestServer(app) as server, aiohttp.ClientSession(server.make_url("/")) as session:

        async def ask(operation: Operation[Any, Any], reply: Any) -> aiohttp.ClientResponse:
            queued.append((operation, reply))
            response = await session.get("/")
            await response.read()
            return response

        yield ask


@pytest.mark.parametrize("count", [0, 1, AT_ONCE, 2 * AT_ONCE + 1])
async def test_a_cluster_arrives_with_its_hosts(ask: Ask, count: int) -> None:
    """Also where a text of it looks like the place that they are put into."""
    asked = msgspec.structs.replace(cluster().asked, tags='"hosts":[]')
    records = site(*(host(id=f"{number}") for number in range(count)))
    hosts = [host_view(record, records.cluster) for record in records.hosts.values()]
    found = cluster_view(cluster(asked=asked), records)
    answer = await ask(operations.GET_CLUSTER, WithHosts(cluster=found, hosts=iter(hosts)))
    whole = msgspec.structs.replace(found, hosts=tuple(hosts))
    assert msgspec.json.decode(await answer.read(), type=Cluster) == whole
    assert answer.content_type == "application/json"


@pytest.mark.parametrize("size", [1, PIECE_BYTES, 3 * PIECE_BYTES])
async def test_an_answer_has_its_length(ask: Ask, size: int) -> None:
    reply = msgspec.structs.replace(host_view(host(), None), status_info="x" * size)
    answer = await ask(operations.GET_HOST, reply)
    content = await answer.read()
    assert msgspec.json.decode(content, type=Host) == reply
    assert answer.content_length == len(content)
    assert answer.status == operations.GET_HOST.status
