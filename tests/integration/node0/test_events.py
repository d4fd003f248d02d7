"""Events: counted, filtered, streamed, and what they say of who asked; lists by what has changed since one."""

from __future__ import annotations

import asyncio
import json

import aiohttp
import pytest

from agent.api import operations
from agent.api.client import Client
from agent.api.events import Event
from agent.api.hosts import HostUpdate
from agent.api.operations import BASE
from node0.rest.server.answers import AT_ONCE
from tests.fakes.agent.agent import Agent

pytestmark = pytest.mark.integration

EVENTS = f"{BASE}/v2/events"


async def test_events_are_counted_in_headers(agent: Agent, session: aiohttp.ClientSession) -> None:
    query = {"severities": "warning,error", "limit": "1"}
    async with session.get(EVENTS) as response:
        everything = await response.json()
    async with session.get(EVENTS, params=query) as response:
        assert len(await response.json()) <= 1
        counts = {name: int(response.headers[name]) for name in operations.EVENT_COUNTS}
    assert counts["Severity-Count-Info"] == sum(event["severity"] == "info" for event in everything)
    assert counts["Event-Count"] == counts["Severity-Count-Warning"] + counts["Severity-Count-Error"]
    assert [event["id"] for event in everything] == sorted(event["id"] for event in everything)


async def test_events_name_the_request_that_caused_them(agent: Agent, session: aiohttp.ClientSession) -> None:
    url = f"{BASE}/v2/infra-envs/{agent.service.site.intent.infra_env_id}/hosts/{agent.id}"
    headers = {"X-Request-ID": "asked-by-me"}
    async with session.patch(url, json={"approved": True}, headers=headers) as response:
        assert response.headers["X-Request-ID"] == "asked-by-me"
    async with session.patch(url, json={"approved": False}, headers={"X-Request-ID": "no id"}) as response:
        made = response.headers["X-Request-ID"]
    assert made != "no id"
    async with session.get(EVENTS) as response:
        events = await response.json()
    assert all(event["request_id"] for event in events)
    assert [event["request_id"] for event in events if event["name"] == "host_approved_updated"] == [
        "asked-by-me",
        made,
    ]


async def test_hosts_that_are_as_they_were_are_left_out_when_asked(agent: Agent, user: Client) -> None:
    id = agent.service.site.intent.infra_env_id
    others = [Agent(agent.service) for _ in range(2 * AT_ONCE)]
    for other in others:
        async with other.client:
            await other.register()
    everyone = await user.call(operations.LIST_HOSTS, infra_env_id=id)
    assert [host.id for host in everyone] == [agent.id, *(other.id for other in others)]
    (*_, last) = await user.call(operations.LIST_EVENTS)
    await agent.send_inventory()
    changed = await user.call(operations.LIST_HOSTS, query={"since": last.id}, infra_env_id=id)
    assert agent.id in [host.id for host in changed]
    assert len(changed) < len(everyone)


async def test_a_filter_that_means_nothing_is_refused(session: aiohttp.ClientSession) -> None:
    for query in ("severities=loud", "limit=-2", "offset=-1", "order=sideways", "after=x"):
        async with session.get(f"{EVENTS}?{query}") as response:
            assert response.status == 400, query


async def next_event(response: aiohttp.ClientResponse) -> Event:
    """The next server-sent event, comments left out."""
    fields: dict[str, str] = {}
    async for line in response.content:
        if line == b"\n" and "data" in fields:
            event = Event(**json.loads(fields["data"]))
            assert (fields["id"], fields["event"]) == (str(event.id), event.name)
            return event
        name, _, value = line.decode().rstrip("\n").partition(": ")
        fields[name] = value
    raise AssertionError("the stream ended")


async def test_events_come_as_they_happen_and_go_on_where_a_reader_was(
    agent: Agent, user: Client, session: aiohttp.ClientSession
) -> None:
    async with session.get(f"{EVENTS}/stream") as stream:
        assert stream.content_type == "text/event-stream"
        first = await next_event(stream)
        assert first.id == 1
        await user.call(operations.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
        async with asyncio.timeout(10):
            while (last := await next_event(stream)).name != "host_approved_updated":
                pass
    async with session.get(f"{EVENTS}/stream", headers={"Last-Event-ID": str(last.id - 1)}) as stream:
        assert await next_event(stream) == last
