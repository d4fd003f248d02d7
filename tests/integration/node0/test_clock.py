"""Hosts whose clocks are a year off: they register over TLS by the certificates of `create image`."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from asyncio.subprocess import PIPE
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from agent.api.operations import TokenRole
from agent.model import host_paths
from image_build.credentials import fresh, one_time
from replay.programs import Service
from replay.site import RENDEZVOUS, Site, make_site
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.cluster import register_cluster
from tests.paths import REPOSITORY

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(shutil.which("faketime") is None, reason="needs faketime, to turn a process's clock"),
]

# A host that knows only what is in its image, and its own clock.
HOST = """
import asyncio, sys, time
from pathlib import Path
from agent.api import operations
from agent.api.client import Client, pinned_tls
from agent.api.hosts import HostRegister
from agent.api.steps import StepReply

async def main():
    url, ca, token, infra_env_id, host_id, inventory = sys.argv[1:]
    path = {"infra_env_id": infra_env_id, "host_id": host_id}
    async with Client(url=url, tls=pinned_tls(Path(ca)), token=token) as client:
        host = await client.call(operations.REGISTER_HOST, HostRegister(host_id=host_id), infra_env_id=infra_env_id)
        client.use_token(host.token)
        steps = await client.call(operations.GET_INSTRUCTIONS, query={"timestamp": int(time.time())}, **path)
        step = steps.instructions[0]
        reply = StepReply(step_type=step.step_type, step_id=step.step_id, output=inventory)
        await client.call(operations.POST_STEP_REPLY, reply, **path)
        print((await client.call(operations.GET_HOST, **path)).status_info)

asyncio.run(main())
"""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Keys and certificates as `create image` makes them."""
    site = make_site(tmp_path)
    identity = one_time.Identity(
        name="demo", base_domain="example.test", rendezvous_ip=RENDEZVOUS, api_address=RENDEZVOUS
    )
    made = fresh.make(identity, datetime.now(UTC))
    site.files.write(host_paths.CA_FILE, made.node0_ca.certificate)
    site.files.write(f"{host_paths.NODE0_DIRECTORY}/tls.crt", made.node0_tls.certificate)
    site.files.write(f"{host_paths.NODE0_DIRECTORY}/tls.key", made.node0_tls.key, mode=0o600)
    return site


async def registered(service: Service, offset: str, host_id: str) -> str:
    """What a host whose clock is off by `offset` reads about itself after it has registered."""
    site = service.site
    machine = msgspec.json.encode(inventory()).decode()
    process = await asyncio.create_subprocess_exec(
        "faketime", "-f", offset, sys.executable, "-c", HOST,
        service.url, str(site.ca), site.token(TokenRole.AGENT), site.intent.infra_env_id, host_id, machine,
        cwd=REPOSITORY, env={**os.environ, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}, stdout=PIPE,
    )  # fmt: skip
    printed, _ = await process.communicate()
    assert process.returncode == 0
    return printed.decode()


@pytest.mark.parametrize(("offset", "words"), [("+1y", "ahead of node0's"), ("-1y", "behind node0's")])
async def test_a_host_with_a_wrong_clock_registers_and_is_sent_the_difference(
    service: Service, offset: str, words: str
) -> None:
    await register_cluster(service)
    said = await registered(service, offset, "33333333-3333-4333-8333-333333333333")
    assert re.search(rf"The host's clock is 52\d{{4}} minutes {words}", said)
