"""One simulated run from a fresh ISO's secrets to a support archive; then every secret is looked for in all that came
out of it: logs of service and driver, API, errors, events, database, console files, commands' output, archives."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import re
import subprocess
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

from agent.api import operations
from agent.api import requests as q
from agent.api.client import pinned_tls
from agent.api.operations import BASE, OPERATIONS, STREAM_EVENTS, TokenRole
from agent.api.steps import StepType
from agent.logs import COLLECT
from agent.machine.files import Files
from agent.model.states import Stage
from cli.cluster_directory import AUTH, RENDEZVOUS_IP
from cli.main import main
from image_build.cluster_iso.live_config import live_config
from image_build.credentials.auth_directory import AuthDirectory
from image_build.credentials.fresh import make
from image_build.credentials.one_time import Identity, OneTimeData
from node0.trust import scrub
from node0.trust.tokens import new_key
from replay.programs import Service, free_port
from replay.site import RENDEZVOUS, Site, host_intent, make_intent
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.image_build.ignition import written_files
from tests.fakes.node0.driver import register
from tests.fakes.node0.programs import node0, serving

pytestmark = pytest.mark.integration

SECOND = "52:54:00:00:00:02"
KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{40,}")

# What users confide to the service, by where it goes. It is kept, and given back to them alone.
CONFIDED = {
    "pull secret": "cHVsbDpzZWNyZXQtb2YtYS1yZWdpc3RyeQ==",
    "install-config": "a-password-in-an-override",
    "ignition": "the-secret-file-of-one-host",
    "proxy": "the-password-of-the-proxy",
    "manifest": "dGhlLWRhdGEtb2YtYS1TZWNyZXQ=",
}


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


async def confide(service: Service, host: Agent) -> None:
    """As users do, in each of the places where a secret may be."""
    cluster_id = service.site.intent.cluster_id
    pull_secret = json.dumps({"auths": {"registry.example.test": {"auth": CONFIDED["pull secret"]}}})
    proxy = f"http://me:{CONFIDED['proxy']}@192.0.2.99:3128"
    manifest = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: mine}}\ndata: {{key: {CONFIDED['manifest']}}}\n"
    async with service.client(TokenRole.USER) as user:
        update = q.ClusterUpdate(pull_secret=pull_secret, http_proxy=proxy)
        await user.call(operations.UPDATE_CLUSTER, update, cluster_id=cluster_id)
        overrides = json.dumps({"imageContentSources": CONFIDED["install-config"]})
        await user.call(operations.UPDATE_INSTALL_CONFIG, overrides, cluster_id=cluster_id)
        override = json.dumps({"storage": {"files": [{"contents": CONFIDED["ignition"]}]}})
        await user.call(operations.UPDATE_IGNITION, q.HostIgnition(config=override), **host.path)
        encoded = base64.b64encode(manifest.encode()).decode()
        await user.call(
            operations.CREATE_MANIFEST, q.ManifestCreate(file_name="mine.yaml", content=encoded), cluster_id=cluster_id
        )


async def install_carelessly(leader: Agent, other: Agent, careless: str) -> None:
    """Both get far; what they say on the way has secrets in it, as a program's last words might."""
    for agent in (leader, other):
        await register(agent)
    await confide(leader.service, leader)
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
        for operation in (
            operation for operation in OPERATIONS if operation.method == "GET" and operation is not STREAM_EVENTS
        ):
            if operation.operation_id in HAND_OUT:
                continue
            names = [name for _, name, _, _ in Formatter().parse(operation.path) if name]
            path = BASE + operation.path.format(**{name: ids.get(name, "unknown") for name in names})
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


# The site's directory where its host has it, in a mount namespace of its own.
_AS_ITS_HOST = """\
set -e
mount -t tmpfs tmpfs /var/lib
mkdir /var/lib/cluster0
mount --bind "$0" /var/lib/cluster0
exec sh "$1"
"""


def own_archive(site: Site) -> Iterator[tuple[str, str]]:
    """What node0 itself hands in when its install has failed, as the service keeps it."""
    if os.geteuid() != 0:
        return
    raw, clean = site.root / "raw.tar.gz", site.root / "clean.tar.gz"
    own = [str(site.files.at("/var/lib/cluster0")), str(COLLECT)]
    done = subprocess.run(["unshare", "--mount", "sh", "-c", _AS_ITS_HOST, *own], check=True, capture_output=True)
    raw.write_bytes(done.stdout)
    scrub.of_node0(site.files).archive(raw, clean)
    raw.unlink()
    with tarfile.open(clean) as tar:
        for member in tar:
            if (file := tar.extractfile(member)) is not None:
                yield f"own archive: {member.name}", file.read().decode(errors="replace")


@pytest.mark.timeout(300)
async def test_no_secret_comes_out_of_a_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    site, secrets = new_site(tmp_path)
    directory = tmp_path / "dir"
    port = free_port()
    monkeypatch.setattr("client.remote.target.PORT", port)
    careless = f"Error: {secrets.user_token}\n{secrets.kubernetes.sa_key}"
    async with serving(site, port=port) as service, driving(service), asyncio.timeout(240):
        first, second = Agent(service), Agent(service, inventory(mac=SECOND, address="127.0.0.2", hostname="node1"))
        async with first.client, second.client:
            await install_carelessly(first, second, careless)
        hosts = {first.token, second.token}
        foreign = Site(root=site.root, intent=site.intent, key=new_key()).token(TokenRole.USER)
        said = {"the API": await answers(service, [secrets.user_token, foreign, first.token])}
        waiting = ("wait-for", "install-complete", "--timeout", "0.1", "-o", "json")
        for arguments in (waiting, ("gather",), ("status",), ("events",), ("hosts", "list", "-o", "json")):
            said[" ".join(arguments)] = await asyncio.to_thread(command, directory, *arguments)
        said |= await asyncio.to_thread(lambda: dict(own_archive(site)))
    logs = capfd.readouterr()
    said |= {"logs": logs.out + logs.err, **dict(below(site.root)), **dict(members(directory))}

    assert "updated status from" in said["logs"], "the service's log was not captured"
    assert "join-failed" in said["the API"], "the host's last report is missing"
    assert any(name.endswith("cluster.json") for name in said), "no archive was made"
    database = said.get("own archive: states/var/lib/cluster0/node0.db.txt", "")
    assert os.geteuid() != 0 or "host_registration_succeeded" in database
    told_on = {name: text for name, text in said.items() if name != "the API" and "node0.db" not in Path(name).name}
    told_on |= {name: text for name, text in said.items() if name.startswith("own archive")}
    assert [(name, what) for name, text in told_on.items() for what in CONFIDED if CONFIDED[what] in text] == []
    leaks = [name for name, text in said.items() if any(secret in text for secret in every_secret(secrets) | hosts)]
    assert leaks == []
