"""One simulated run from a fresh ISO's secrets to a support archive; then every secret is looked for in all that came
out of it: logs of service and driver, API, errors, events, database, console files, commands' output, archive."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import tarfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter
from typing import Any

import aiohttp
import msgspec
import pytest
from click.testing import CliRunner

from agent.api.client import pinned_tls
from agent.api.routes import BASE, ROUTES, STREAM_EVENTS, TokenRole
from agent.api.states import Stage
from agent.api.steps import StepType
from agent.machine.files import Files
from image_build.cli import main
from image_build.customise.live_config import live_config
from image_build.customise.results import AUTH, RENDEZVOUS_IP
from image_build.trust.auth_directory import AuthDirectory
from image_build.trust.fresh import make
from image_build.trust.one_time import Identity, OneTimeData
from node0.trust.tokens import new_key
from tests.fakes.agent import Agent, inventory
from tests.fakes.driver import register
from tests.fakes.ignition import written_files
from tests.fakes.node0 import Service, free_port, node0, serving
from tests.fakes.site import RENDEZVOUS, Site, host_intent, make_intent

pytestmark = pytest.mark.integration

SECOND = "52:54:00:00:00:02"
KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{40,}")


def new_site(directory: Path) -> tuple[Site, OneTimeData]:
    """node0's root as the ISO makes it, and DIR with `auth/`, both of the same fresh secrets."""
    identity = Identity(name="demo", base_domain="example.test", rendezvous_ip=RENDEZVOUS, api_address=RENDEZVOUS)
    made = make(identity, datetime.now(UTC))
    nowhere = made.admin_kubeconfig.replace(":6443", f":{free_port()}")
    secrets = msgspec.structs.replace(made, admin_kubeconfig=nowhere)
    hosts = (host_intent(), host_intent(name="node1", mac=SECOND))
    intent = msgspec.structs.replace(
        make_intent(hosts=hosts, masters=2), cluster_id=secrets.cluster_id, infra_env_id=secrets.infra_env_id
    )
    site = Site(root=directory / "root", intent=intent, key=secrets.token_key)
    for path, content, mode in written_files(live_config(intent, secrets)):
        site.files.write(path, content, mode=mode)
    AuthDirectory(directory / "dir" / AUTH).write(secrets, intent)
    Files(directory / "dir").write(RENDEZVOUS_IP, f"{RENDEZVOUS}\n")
    return site, secrets


def every_secret(secrets: OneTimeData) -> set[str]:
    """Tokens, and the lines of every private key, plain and as kubeconfigs have it."""
    found = {secrets.agent_token, secrets.user_token, secrets.watcher_token}
    for text in _texts(msgspec.to_builtins(secrets)):
        for key in re.findall(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(.+?)-----END", text, re.DOTALL):
            found.update(KEY_LINE.findall(key))
    (encoded,) = re.findall(r"client-key-data:? *\"?([A-Za-z0-9+/=]+)", secrets.admin_kubeconfig)
    found.update(KEY_LINE.findall(base64.b64decode(encoded).decode()))
    return found | {encoded}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)


@contextlib.asynccontextmanager
async def driving(service: Service) -> AsyncIterator[None]:
    """The driver, its log on the test's own stderr."""
    process = await node0(service.site, "create-cluster", "--url", service.url)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def install_carelessly(leader: Agent, other: Agent, careless: str) -> None:
    """Both get far; what they say on the way has secrets in it, as a program's last words might."""
    for agent in (leader, other):
        await register(agent)
    await asyncio.gather(leader.wait_for_install(), failing_once(other, careless))
    await leader.reach(Stage.WRITING_IMAGE, f"10% {careless}")
    await other.reach(Stage.FAILED, f"join-failed: {careless}")


async def failing_once(agent: Agent, careless: str) -> None:
    for step in await agent.steps(wait=10):
        if step.step_type == StepType.INVENTORY:
            await agent.reply(step, exit_code=1, error=careless)
            await agent.reply(step, agent.inventory)
    await agent.wait_for_install()


async def answers(service: Service, tokens: list[str]) -> str:
    """What every operation says to every token, errors among it."""
    said = []
    intent = service.site.intent
    ids = {"cluster_id": intent.cluster_id, "infra_env_id": intent.infra_env_id}
    connector = aiohttp.TCPConnector(ssl=pinned_tls(service.site.ca))
    async with aiohttp.ClientSession(service.url, connector=connector) as session:
        for route in (route for route in ROUTES if route.method == "GET" and route is not STREAM_EVENTS):
            if route.operation in HAND_OUT:
                continue
            names = [name for _, name, _, _ in Formatter().parse(route.path) if name]
            path = BASE + route.path.format(**{name: ids.get(name, "unknown") for name in names})
            for token in tokens:
                async with session.get(path, headers={"Authorization": token}) as response:
                    said.append(await response.text())
        async with session.get(f"{service.url}/metrics", headers={"Authorization": tokens[0]}) as response:
            said.append(await response.text())
    return "\n".join(said)


# The user asks for the kubeconfig, and is given it.
HAND_OUT = frozenset({"V2DownloadClusterCredentials"})


def below(directory: Path) -> Iterator[tuple[str, str]]:
    """Every file that the run has written, but those that the ISO brought."""
    for path in sorted(directory.rglob("*")):
        if path.is_file() and "etc/cluster0" not in str(path):
            yield str(path), path.read_bytes().decode(errors="replace")


def command(directory: Path, *arguments: str) -> str:
    result = CliRunner().invoke(main, [*arguments, "--dir", str(directory)])
    return f"{result.output}{result.exception or ''}"


def members(directory: Path) -> Iterator[tuple[str, str]]:
    for archive in directory.glob("gather-*.tar.gz"):
        with tarfile.open(archive) as tar:
            for member in tar:
                if (file := tar.extractfile(member)) is not None:
                    yield member.name, file.read().decode(errors="replace")


@pytest.mark.timeout(180)
async def test_no_secret_comes_out_of_a_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    site, secrets = new_site(tmp_path)
    directory = tmp_path / "dir"
    port = free_port()
    monkeypatch.setattr("image_build.remote.target.PORT", port)
    careless = f"Error: {secrets.user_token}\n{secrets.kubernetes.sa_key}"
    async with serving(site, port=port) as service, driving(service), asyncio.timeout(150):
        first, second = Agent(service), Agent(service, inventory(mac=SECOND, address="127.0.0.2", hostname="node1"))
        async with first.client, second.client:
            await install_carelessly(first, second, careless)
        hosts = {first.token, second.token}
        foreign = Site(root=site.root, intent=site.intent, key=new_key()).token(TokenRole.USER)
        said = {"the API": await answers(service, [secrets.user_token, foreign, first.token])}
        waiting = ("wait-for", "install-complete", "--timeout", "5", "-o", "json")
        for arguments in (waiting, ("gather",), ("status",), ("events",), ("hosts", "list", "-o", "json")):
            said[" ".join(arguments)] = await asyncio.to_thread(command, directory, *arguments)
    logs = capfd.readouterr()
    said |= {"logs": logs.out + logs.err, **dict(below(site.root)), **dict(members(directory))}

    assert "updated status from" in said["logs"], "the service's log was not captured"
    assert "join-failed" in said["the API"], "what a host said last was not told"
    assert any(name.endswith("cluster.json") for name in said), "no archive was made"
    leaks = [name for name, text in said.items() if any(secret in text for secret in every_secret(secrets) | hosts)]
    assert leaks == []
