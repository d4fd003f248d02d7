"""`cluster0 gather` from the real service and a real sshd, and without node0."""

from __future__ import annotations

import asyncio
import io
import json
import os
import tarfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from agent.api.operations import LIST_CLUSTERS, LIST_EVENTS, UPLOAD_LOGS, TokenRole
from agent.model.problems import Problem
from agent.model.states import Stage
from cli.cluster_directory import AUTH, USER_TOKEN
from cli.main import main
from client.gather import from_host, unpack
from client.gather.run import Gathered, Request, gather
from client.remote.ssh import Login, run_script
from client.remote.target import read_target
from node0.trust.tokens import new_key
from replay.programs import free_port
from replay.site import Site, make_site
from tests.fakes.agent.agent import Agent
from tests.fakes.client.auth_directory import write_directory
from tests.fakes.node0.driver import leading, register
from tests.fakes.system.ssh import sshd

pytestmark = pytest.mark.integration


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path / "root")


@pytest.fixture
async def login(tmp_path: Path) -> AsyncIterator[Login]:
    async with sshd(tmp_path) as login:
        yield login


@pytest.fixture
def request_(site: Site, login: Login, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    """Of a node0 that is not there; its host, this machine, answers by SSH."""
    monkeypatch.setattr("client.remote.target.PORT", free_port())
    directory = write_directory(site, tmp_path / "dir")
    return Request(directory=directory, target=read_target(directory), login=login)


def contents(gathered: Gathered) -> dict[str, str]:
    """Path below the archive's folder → text."""
    with tarfile.open(gathered.archive) as tar:
        files = {member.name.partition("/")[2]: tar.extractfile(member) for member in tar}
        return {name: file.read().decode(errors="replace") for name, file in files.items() if file}


def archives(directory: Path) -> dict[Path, int]:
    """Archives and unfinished ones in DIR, with their permissions."""
    found = (path for path in directory.iterdir() if path.name.startswith((".", "gather")))
    return {path: path.stat().st_mode & 0o777 for path in found}


async def test_gather_collects_from_a_host_when_node0_is_down(request_: Request, tmp_path: Path) -> None:
    gathered = await gather(request_)
    files = contents(gathered)
    assert archives(request_.directory) == {Path(gathered.archive): 0o600}
    why = {source.name: source.why for source in gathered.manifest.sources}
    assert why["hosts/node0"] == ""
    assert "service-unreachable" in why["node0"]
    assert "kubernetes-unreachable" in why["kubernetes"]
    assert "Linux" in files["hosts/node0/versions/kernel"]
    wanted = ("journal/this-boot", "units/failed", "network/addresses", "disks/mounts", "journal/kubeadm")
    assert all(f"hosts/node0/{name}" in files for name in wanted)
    assert files["manifest.json"].count('"hosts/node0"') == 1


async def test_gather_from_node0_has_the_logs_and_no_secret(request_: Request, site: Site) -> None:
    """A host whose reports contain secrets, as the output of a careless program might."""
    auth = request_.directory / AUTH
    secret, key = (auth / USER_TOKEN).read_text(), new_key()
    async with leading(site, request_.target.port) as service:
        agent = Agent(service)
        async with agent.client, asyncio.timeout(60):
            await register(agent)
            await agent.wait_for_install()
            await agent.reach(Stage.FAILED, f"disk-write-failed: {secret}\n{key}")
            await upload_logs(agent, f"the token is {secret}\n", request_.directory / "logs.tar.gz")
            gathered = await gather(request_)
    files = contents(gathered)
    assert files[f"node0/logs/logs_{agent.id}/journal"] == "the token is [removed:web-token]\n"
    assert "disk-write-failed" in files["node0/cluster.json"]
    assert agent.id in files["node0/events.txt"]
    assert f"node0/hosts/{agent.id}/inventory.json" in files
    assert all(secret not in text and key.splitlines()[1] not in text for text in files.values())
    assert "disk-write-failed: [removed" in files["node0/cluster.json"]
    assert json.loads(files["manifest.json"])["removed"].keys() == gathered.manifest.removed.keys()
    for text in (path.read_text().strip() for path in auth.iterdir() if path.name.endswith("token")):
        assert all(text not in content for content in files.values())


async def upload_logs(agent: Agent, journal: str, archive: Path) -> None:
    """As a host that has failed does."""
    with tarfile.open(archive, "w:gz") as tar:
        entry = tarfile.TarInfo("journal")
        entry.size = len(journal)
        tar.addfile(entry, io.BytesIO(journal.encode()))
    query: dict[str, str | int] = {"logs_type": "host", "infra_env_id": agent.path["infra_env_id"], "host_id": agent.id}
    cluster_id = agent.service.site.intent.cluster_id
    await agent.client.upload(UPLOAD_LOGS, archive, query=query, cluster_id=cluster_id)


async def test_gather_without_an_answering_host_is_a_problem(request_: Request) -> None:
    nowhere = replace(request_, login=replace(request_.login, port=free_port()))
    with pytest.raises(Problem, match="gather-nothing") as caught:
        await gather(nowhere)
    assert "hosts/node0: ssh-unreachable" in caught.value.detail
    assert archives(request_.directory) == {}


async def test_an_interrupted_gather_leaves_no_file(
    request_: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Ctrl-C, while a host is still collecting."""
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    script = tmp_path / "collect.sh"
    script.write_text(f"echo >{begun}; sleep 60")
    monkeypatch.setattr(from_host, "COLLECT", script)
    task = asyncio.create_task(gather(request_))
    assert await asyncio.to_thread(begun.read_text) == "\n"
    assert len(archives(request_.directory)) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert archives(request_.directory) == {}


async def test_gather_skips_a_host_that_hangs(login: Login) -> None:
    with pytest.raises(Problem, match="ssh-timeout"):
        await run_script(login, "127.0.0.1", "sleep 60", timeout=1)


async def test_gather_tries_the_next_address_of_a_host(
    login: Login, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "collect.sh"
    script.write_text("cd /proc && tar -cz version")
    monkeypatch.setattr(from_host, "COLLECT", script)
    assert (await from_host.collect(login, ("127.0.0.2", "127.0.0.1"))).keys() == {"version"}


async def test_a_failed_wait_for_gathers_by_itself(request_: Request, site: Site) -> None:
    arguments = ["wait-for", "install-complete", "--dir", str(request_.directory), "--timeout", "0.001", "-o", "json"]
    async with leading(site, request_.target.port) as service:
        async with service.client(TokenRole.WATCHER) as client, asyncio.timeout(30):
            while not await client.call(LIST_CLUSTERS):
                await client.call(LIST_EVENTS, query={"wait": 10})
        result = await asyncio.to_thread(CliRunner().invoke, main, arguments)
    *_, archived, last = map(json.loads, result.stdout.splitlines())
    assert (archived["kind"], last["error"]["code"]) == ("archive", "wait-deadline")
    assert archives(request_.directory) == {Path(archived["archive"]): 0o600}


def test_gather_checks_the_archive_that_a_host_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Problem, match="archive-damaged"):
        unpack.unpacked(b"sudo: a password is required")
    monkeypatch.setattr(unpack, "MAX_BYTES", 1000)
    bomb = io.BytesIO()
    with tarfile.open(fileobj=bomb, mode="w:gz") as tar:
        for name, size in (("small", 10), ("large", 5000)):
            entry = tarfile.TarInfo(name)
            entry.size = size
            tar.addfile(entry, io.BytesIO(bytes(size)))
    assert unpack.unpacked(bomb.getvalue()).keys() == {"small"}
