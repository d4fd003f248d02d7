"""What can be seen of the service from outside: events, logs, metrics; and that slow readers hold nobody up."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import tarfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from agent.api import local, routes
from agent.api import requests as q
from agent.api.client import Client, Refused, pinned_tls
from agent.api.clusters import Cidr, ClusterCreate, ClusterNetworkEntry, Completion
from agent.api.events import Event
from agent.api.hosts import HostUpdate
from agent.api.infra_envs import InfraEnvCreate
from agent.api.parts import UNSET_TIME
from agent.api.routes import BASE, TokenRole
from agent.api.states import LogsState, Stage
from node0.rest.answers import AT_ONCE
from tests.fakes.agent import Agent
from tests.fakes.node0 import Service, serving
from tests.fakes.site import make_site

pytestmark = pytest.mark.integration

EVENTS = f"{BASE}/v2/events"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(make_site(tmp_path)) as service:
        yield service


@pytest.fixture
async def user(service: Service) -> AsyncIterator[Client]:
    async with service.client(TokenRole.USER) as client:
        yield client


@pytest.fixture
async def session(service: Service) -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca), limit=0)
    headers = {"Authorization": service.site.token(TokenRole.USER)}
    async with aiohttp.ClientSession(service.url, connector=connector, headers=headers) as session:
        yield session


@pytest.fixture
async def agent(service: Service, user: Client) -> AsyncIterator[Agent]:
    """A registered host of a registered cluster."""
    cluster = ClusterCreate(
        name="demo",
        openshift_version="v1",
        base_dns_domain="example.test",
        cluster_networks=(ClusterNetworkEntry(cidr="10.244.0.0/16", host_prefix=24),),
        service_networks=(Cidr(cidr="10.96.0.0/12"),),
    )
    await user.call(routes.REGISTER_CLUSTER, cluster)
    await user.call(routes.REGISTER_INFRA_ENV, InfraEnvCreate(name="demo"))
    agent = Agent(service)
    async with agent.client:
        await agent.register()
        yield agent


async def test_events_are_counted_in_headers(agent: Agent, session: aiohttp.ClientSession) -> None:
    query = {"severities": "warning,error", "limit": "1"}
    async with session.get(EVENTS) as response:
        everything = await response.json()
    async with session.get(EVENTS, params=query) as response:
        assert len(await response.json()) <= 1
        counts = {name: int(response.headers[name]) for name in routes.EVENT_COUNTS}
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
    everyone = await user.call(routes.LIST_HOSTS, infra_env_id=id)
    assert [host.id for host in everyone] == [agent.id, *(other.id for other in others)]
    (*_, last) = await user.call(routes.LIST_EVENTS)
    await agent.send_inventory()
    changed = await user.call(routes.LIST_HOSTS, query={"since": last.id}, infra_env_id=id)
    assert agent.id in [host.id for host in changed]
    assert len(changed) < len(everyone)


async def test_a_filter_that_means_nothing_is_refused(session: aiohttp.ClientSession) -> None:
    for query in ("severities=loud", "limit=-2", "offset=-1", "order=sideways", "after=x"):
        async with session.get(f"{EVENTS}?{query}") as response:
            assert response.status == 400, query


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
        await user.call(routes.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
        async with asyncio.timeout(10):
            while (last := await next_event(stream)).name != "host_approved_updated":
                pass
    async with session.get(f"{EVENTS}/stream", headers={"Last-Event-ID": str(last.id - 1)}) as stream:
        assert await next_event(stream) == last


async def test_slow_clients_hold_nobody_up(agent: Agent, service: Service, user: Client) -> None:
    """Half a request each, and streams that nobody reads: another request is answered at once."""
    idle = []
    for _ in range(100):
        tls = pinned_tls(service.site.ca)
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port, ssl=tls)
        writer.write(f"POST {BASE}/v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{".encode())
        idle.append((reader, writer))
    async with asyncio.timeout(5):
        await user.call(routes.LIST_CLUSTERS)
    for _, writer in idle:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return path


def own_logs(agent: Agent) -> dict[str, str]:
    """The query with which a host uploads its logs."""
    return {"logs_type": "host", "infra_env_id": agent.path["infra_env_id"], "host_id": agent.id}


async def test_logs_of_a_host_come_back_without_secrets(
    agent: Agent, service: Service, user: Client, tmp_path: Path
) -> None:
    """Every secret that node0 was given, and the host's own token, is gone; the rest is as it was."""
    files = service.site.files
    secrets = [path.read_bytes() for path in files.at(local.NODE0_DIRECTORY).iterdir() if path.suffix != ".crt"]
    secrets += [files.read(local.AGENT_TOKEN_FILE).encode(), agent.token.encode()]
    journal = b"started\n" + b"\n".join(secrets) + b"\nended\n"
    uploaded = archive(tmp_path / "logs.tar.gz", {"journal.log": journal, "../../etc/passwd": b"x\n"})
    cluster_id = service.site.intent.cluster_id
    await agent.client.call(routes.UPDATE_LOGS_PROGRESS, q.LogsProgress(logs_state=LogsState.REQUESTED), **agent.path)
    query = own_logs(agent)
    await agent.client.upload(routes.UPLOAD_LOGS, uploaded, query=query, cluster_id=cluster_id)

    query = {"logs_type": "host", "host_id": agent.id}
    downloaded = await user.download(routes.DOWNLOAD_LOGS, query=query, cluster_id=cluster_id)
    with tarfile.open(fileobj=io.BytesIO(downloaded)) as tar:
        assert tar.getnames() == ["journal.log", "etc/passwd"]
        clean = tar.extractfile("journal.log")
        assert clean is not None
        text = clean.read()
    lines = [line for secret in secrets for line in secret.splitlines() if len(line) > 16]
    assert len(lines) >= 8
    assert not [line for line in lines if line in text]
    assert text.startswith(b"started\n")
    assert text.endswith(b"ended\n")
    assert b"removed" in text
    host = await user.call(routes.GET_HOST, **agent.path)
    assert (host.logs_info, host.logs_started_at != UNSET_TIME) == (LogsState.COMPLETED, True)
    assert host.logs_collected_at != UNSET_TIME


async def test_all_logs_are_one_archive(agent: Agent, service: Service, user: Client, tmp_path: Path) -> None:
    cluster_id = service.site.intent.cluster_id
    uploaded = archive(tmp_path / "logs.tar.gz", {"a.log": b"a\n"})
    await user.upload(routes.UPLOAD_LOGS, uploaded, query={"logs_type": "controller"}, cluster_id=cluster_id)
    await agent.client.upload(routes.UPLOAD_LOGS, uploaded, query=own_logs(agent), cluster_id=cluster_id)
    bundle = await user.download(routes.DOWNLOAD_LOGS, cluster_id=cluster_id)
    with tarfile.open(fileobj=io.BytesIO(bundle)) as tar:
        assert sorted(tar.getnames()) == sorted([f"logs_{agent.id}.tar.gz", "logs_controller.tar.gz"])


async def test_logs_that_are_none_are_refused(agent: Agent, service: Service, tmp_path: Path) -> None:
    path = tmp_path / "upload"
    for content, status in ((b"no archive", 400), (b"\x1f\x8b broken", 400), (b"\x00" * (65 * 2**20), 413)):
        path.write_bytes(content)
        with pytest.raises(Refused) as refused:
            await agent.client.upload(
                routes.UPLOAD_LOGS, path, query=own_logs(agent), cluster_id=service.site.intent.cluster_id
            )
        assert refused.value.status == status
    assert service.site.files.names("/var/lib/cluster0/logs") == ()


async def test_a_host_uploads_no_others_logs(agent: Agent, service: Service, tmp_path: Path) -> None:
    uploaded = archive(tmp_path / "logs.tar.gz", {"a.log": b"a\n"})
    cluster_id = service.site.intent.cluster_id
    for query in ({"logs_type": "controller"}, {**own_logs(agent), "host_id": cluster_id}):
        with pytest.raises(Refused) as refused:
            await agent.client.upload(routes.UPLOAD_LOGS, uploaded, query=query, cluster_id=cluster_id)
        assert refused.value.status == 403


async def test_metrics_are_prometheus_and_say_what_happened(
    agent: Agent, service: Service, user: Client, session: aiohttp.ClientSession
) -> None:
    await agent.send_inventory()
    await user.call(routes.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
    await user.call(routes.INSTALL_CLUSTER, cluster_id=service.site.intent.cluster_id)
    await agent.wait_for_install()
    await agent.install()
    await user.call(
        routes.COMPLETE_INSTALLATION, Completion(is_success=True), cluster_id=service.site.intent.cluster_id
    )
    async with session.get("/metrics") as response:
        families = {family.name: family for family in text_string_to_metric_families(await response.text())}
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families.values()
        for sample in family.samples
    }
    prefix = "service_assisted_installer"
    assert samples[f"{prefix}_hosts", "installed"] == 1
    assert samples[f"{prefix}_cluster_status", "installed"] == 1
    assert samples[f"{prefix}_cluster_installation_seconds", "installed"] >= 0
    phase = f"{prefix}_host_installation_phase_seconds_count"
    assert samples[phase, *sorted([Stage.WRITING_IMAGE, "success"])] == 1
    assert samples[f"{prefix}_validations", *sorted(["host", "has-inventory", "success"])] == 1
    labels = sorted(["assisted-service", "v2RegisterHost", "POST", "201"])
    assert samples["http_request_duration_seconds_count", *labels] == 1


async def test_a_host_whose_clock_is_a_year_off_is_registered_and_told(agent: Agent, user: Client) -> None:
    """Told in its status, which its console shows; TLS does not stand in the way (test_create_image)."""
    await agent.send_inventory()
    year = 365 * 24 * 3600
    for seconds, words in ((year, "ahead of"), (-year, "behind")):
        await agent.steps(timestamp=int(time.time()) + seconds)
        host = await user.call(routes.GET_HOST, **agent.path)
        assert "The host's clock is 5256" in host.status_info
        assert words in host.status_info
