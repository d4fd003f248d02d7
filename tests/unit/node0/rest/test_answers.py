"""Large replies are sent in pieces and arrive complete."""

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

Fetch = Callable[[Operation[Any, Any], Any], Awaitable[aiohttp.ClientResponse]]


@pytest.fixture
async def fetch() -> AsyncIterator[Fetch]:
    """Sends a reply by an operation of the table over HTTP and returns the response."""
    queued: list[tuple[Operation[Any, Any], Any]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        return await respond(request, *queued.pop(), CIMultiDict())

    app = web.Application()
    app.router.add_get("/", answer)
    async with TestServer(app) as server, aiohttp.ClientSession(server.make_url("/")) as session:

        async def fetch(operation: Operation[Any, Any], reply: Any) -> aiohttp.ClientResponse:
            queued.append((operation, reply))
            response = await session.get("/")
            await response.read()
            return response

        yield fetch


@pytest.mark.parametrize("count", [0, 1, AT_ONCE, 2 * AT_ONCE + 1])
async def test_a_cluster_arrives_with_its_hosts(fetch: Fetch, count: int) -> None:
    """A text of the cluster may contain the marker that the hosts replace."""
    requested = msgspec.structs.replace(cluster().spec, tags='"hosts":[]')
    records = site(*(host(id=f"{number}") for number in range(count)))
    hosts = [host_view(record, records.cluster) for record in records.hosts.values()]
    found = cluster_view(cluster(spec=requested), records)
    answer = await fetch(operations.GET_CLUSTER, WithHosts(cluster=found, hosts=iter(hosts)))
    whole = msgspec.structs.replace(found, hosts=tuple(hosts))
    assert msgspec.json.decode(await answer.read(), type=Cluster) == whole
    assert answer.content_type == "application/json"


@pytest.mark.parametrize("size", [1, PIECE_BYTES, 3 * PIECE_BYTES])
async def test_an_answer_has_its_length(fetch: Fetch, size: int) -> None:
    reply = msgspec.structs.replace(host_view(host(), None), status_info="x" * size)
    answer = await fetch(operations.GET_HOST, reply)
    content = await answer.read()
    assert msgspec.json.decode(content, type=Host) == reply
    assert answer.content_length == len(content)
    assert answer.status == operations.GET_HOST.status
