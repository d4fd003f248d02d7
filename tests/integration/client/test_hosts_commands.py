"""`cluster0 hosts`, `events` and `status` against the real service."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from agent.api.events import Event
from agent.machine.clock import Clock
from cli.exit_codes import ExitCode
from cli.main import main
from client.events.stream import EventFilter, follow_events
from client.observe.service import ServiceWatcher
from client.remote.service import read_cluster, watcher_client
from client.remote.target import Target, read_target
from replay.programs import free_port
from replay.site import Site, host_intent, make_site
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.client.auth_directory import write_directory
from tests.fakes.node0.driver import leading, register

pytestmark = pytest.mark.integration

SECOND_MAC = "52:54:00:00:00:02"
THIRD_MAC = "52:54:00:00:00:03"
UNLISTED_MAC = "52:54:00:00:00:99"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Three hosts are wanted; only the first ever comes."""
    late = (host_intent(name="beta", mac=SECOND_MAC), host_intent(name="gamma", mac=THIRD_MAC))
    return make_site(tmp_path / "root", hosts=(host_intent(), *late))


@pytest.fixture
def directory(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("client.remote.target.PORT", free_port())
    return write_directory(site, tmp_path / "dir")


async def cluster0(directory: Path, *arguments: str) -> Result:
    """The command, beside the loop: it has one of its own."""
    return await asyncio.to_thread(CliRunner().invoke, main, [*arguments, "--dir", str(directory)])


async def until_approved(site_target: Target, agent: Agent) -> None:
    async with watcher_client(site_target) as client:
        service = ServiceWatcher(client, site_target.intent.cluster_id)
        async for event in follow_events(service, EventFilter(host_id=agent.id), Clock()):
            if event.name == "host_approved_updated":
                return


async def come(agent: Agent) -> None:
    await register(agent)
    await agent.send_inventory()


async def test_hosts_are_listed_approved_and_followed(site: Site, directory: Path) -> None:
    site_target = read_target(directory)
    async with leading(site, site_target.port) as service:
        agent, unlisted = Agent(service), Agent(service, inventory(mac=UNLISTED_MAC, hostname="unlisted"))
        async with agent.client, unlisted.client, asyncio.timeout(60):
            await come(agent)
            await come(unlisted)
            await until_approved(site_target, agent)

            listed = json.loads((await cluster0(directory, "hosts", "list", "-o", "json")).stdout)
            status = {row["name"]: (row["status"], row["approved"]) for row in listed["hosts"]}
            assert status.pop("beta") == status.pop("gamma") == ("not-registered", False)
            assert [approved for _, approved in status.values()].count(True) == 1
            table = (await cluster0(directory, "hosts", "list")).stdout
            assert SECOND_MAC in table
            assert UNLISTED_MAC in table

            refused = await cluster0(directory, "hosts", "approve", "unknown")
            assert (refused.exit_code, "host-unknown" in refused.stderr) == (ExitCode.INFRASTRUCTURE, True)
            approval = await cluster0(directory, "hosts", "approve", UNLISTED_MAC.upper(), "-o", "json")
            (row,) = json.loads(approval.stdout)["hosts"]
            assert (approval.exit_code, row["id"], row["approved"]) == (ExitCode.DONE, unlisted.id, True)
            (approved,) = [host for host in (await read_cluster(site_target)).hosts if host.id == unlisted.id]
            assert approved.approved

            retried = await cluster0(directory, "hosts", "retry", unlisted.id[:8])
            assert "host-not-failed" in retried.stderr

            seen = json.loads((await cluster0(directory, "status", "-o", "json")).stdout)
            assert (seen["schema"], seen["service"], seen["situation"]) == (1, "answers", "waiting-for-hosts")
            assert SECOND_MAC in seen["message"]
            assert "beta" in (await cluster0(directory, "status")).stdout

            lines = (await cluster0(directory, "events", "-o", "json", "--host", unlisted.id)).stdout.splitlines()
            events = [msgspec.json.decode(line, type=Event) for line in lines]
            assert {event.host_id for event in events} == {unlisted.id}
            assert [event.id for event in events] == sorted(event.id for event in events)
            shown = (await cluster0(directory, "events", "--severity", "critical")).stdout
            assert shown == ""


async def test_status_without_an_answering_node0_is_a_problem(directory: Path) -> None:
    result = await cluster0(directory, "status", "-o", "json")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert json.loads(result.stdout)["situation"] == "service-down"


async def test_events_go_on_through_a_restart(site: Site, directory: Path) -> None:
    site_target = read_target(directory)
    async with watcher_client(site_target) as client, asyncio.timeout(60):
        events = follow_events(ServiceWatcher(client, site_target.intent.cluster_id), EventFilter(), Clock())
        async with leading(site, site_target.port) as service:
            agent = Agent(service)
            async with agent.client:
                await come(agent)
            while "registered" not in (await anext(events)).message:
                pass
        async with leading(site, site_target.port) as service:
            agent = Agent(service)
            async with agent.client:
                await come(agent)
            while (await anext(events)).host_id != agent.id:
                pass
        await events.aclose()
