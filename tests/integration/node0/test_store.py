"""An answered change survives every end of the service; a failing disk is reported, and the service recovers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from agent.api import operations
from agent.api import requests as q
from agent.api.client import Client, Refused, Unreachable, pinned_tls
from agent.api.clusters import ClusterCreate
from agent.api.operations import TokenRole
from agent.machine.inotify import replacements
from agent.model.host_documents import ClusterStatusFile
from agent.model.host_paths import CLUSTER_STATUS_FILE, NODE0_DIRECTORY, STATE_MOUNT
from node0.store.location import DATABASE
from replay.programs import Service, free_port
from replay.site import Site, make_site
from tests.fakes.node0.programs import node0, serving
from tests.fakes.system.loop_disk import loop_disk
from tests.fakes.system.other_file_system import another_file_system

pytestmark = pytest.mark.integration

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount")

ROUNDS = 6
EXIT_PROBLEM = 6


@contextlib.asynccontextmanager
async def as_user(service: Service) -> AsyncIterator[Client]:
    async with service.client(TokenRole.USER) as user:
        yield user


async def register(service: Service, user: Client) -> str:
    await user.call(operations.REGISTER_CLUSTER, ClusterCreate(name="demo", openshift_version="v1", tags="0"))
    return service.site.intent.cluster_id


async def tag(user: Client, cluster_id: str, tags: str) -> None:
    await user.call(operations.UPDATE_CLUSTER, q.ClusterUpdate(tags=tags), cluster_id=cluster_id)


async def write_until_killed(user: Client, cluster_id: str, first: int) -> int:
    """Number after number; gives the last that was answered."""
    number = first
    with contextlib.suppress(Unreachable):
        while True:
            await tag(user, cluster_id, str(number))
            number += 1
    return number - 1


async def test_a_service_killed_at_random_moments_has_all_it_acknowledged(site: Site) -> None:
    """Each round ends with SIGKILL, and the next begins with a look at what is there."""
    acknowledged = 0
    cluster_id = site.intent.cluster_id
    for round_ in range(ROUNDS):
        async with serving(site) as service, as_user(service) as user:
            if round_ == 0:
                await register(service, user)
            else:
                kept = int((await user.call(operations.GET_CLUSTER, cluster_id=cluster_id)).tags)
                assert acknowledged <= kept <= acknowledged + 1
                acknowledged = kept
            writing = asyncio.create_task(write_until_killed(user, cluster_id, acknowledged + 1))
            await asyncio.sleep(random.uniform(0.05, 0.4))
            service.process.send_signal(signal.SIGKILL)
            acknowledged = max(acknowledged, await writing)
    assert acknowledged >= ROUNDS


async def move(user: Client, cluster_id: str) -> None:
    with contextlib.suppress(Unreachable):
        await user.call(operations.MOVE_STORE, cluster_id=cluster_id)


async def test_a_service_killed_during_a_move_has_all_it_acknowledged(tmp_path: Path) -> None:
    """To the state file system, during the install; after a restart the move is asked for again."""
    for round_ in range(ROUNDS // 2):
        site = make_site(tmp_path / str(round_))
        with another_file_system(site.files.at(STATE_MOUNT)):
            async with serving(site) as service, as_user(service) as user:
                cluster_id = await register(service, user)
                writing = asyncio.create_task(write_until_killed(user, cluster_id, 1))
                await asyncio.sleep(0.2)
                moving = asyncio.create_task(move(user, cluster_id))
                await asyncio.sleep(random.uniform(0, 0.06))
                service.process.send_signal(signal.SIGKILL)
                acknowledged, _ = await asyncio.gather(writing, moving)
            async with serving(site) as service, as_user(service) as user:
                kept = int((await user.call(operations.GET_CLUSTER, cluster_id=cluster_id)).tags)
                assert acknowledged <= kept <= acknowledged + 1
                await user.call(operations.MOVE_STORE, cluster_id=cluster_id)
                await tag(user, cluster_id, "moved")
                assert site.files.at(STATE_MOUNT + DATABASE).exists()
            async with serving(site) as service, as_user(service) as user:
                assert (await user.call(operations.GET_CLUSTER, cluster_id=cluster_id)).tags == "moved"


async def ready(service: Service) -> tuple[int, str]:
    """Status of /ready, and what it says."""
    tls: ssl.SSLContext = pinned_tls(service.site.ca)
    async with aiohttp.ClientSession() as session, session.get(f"{service.url}/ready", ssl=tls) as response:
        return response.status, (await response.json())["status"]


async def until_ready(service: Service) -> None:
    """Returns when the service says that its disk is well again, which it finds out by itself."""
    async with asyncio.timeout(30):
        while True:
            if (await ready(service))[0] == 200:
                return
            await asyncio.sleep(0.2)


@needs_root
async def test_the_service_reports_a_full_disk_and_recovers(site: Site) -> None:
    """What was known is still answered, nothing half is kept, and with room again the service goes on by itself."""
    directory = site.files.at(DATABASE).parent
    directory.mkdir(parents=True)
    mounted = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=512k tmpfs "$0" && exec "$@"', str(directory)]
    async with serving(site, prefix=mounted) as service, as_user(service) as user:
        cluster_id = await register(service, user)
        filler = Path(f"/proc/{service.process.pid}/root{directory}/filler")
        await asyncio.to_thread(fill, filler)
        with pytest.raises(Refused) as refused:
            for number in range(1000):
                await tag(user, cluster_id, f"{number} " + "x" * 1000)
        assert (refused.value.status, refused.value.code) == (503, "store-full")
        assert await ready(service) == (503, "store-full")
        seen = await user.call(operations.GET_CLUSTER, cluster_id=cluster_id)
        assert seen.tags.startswith(f"{number - 1} ") or number == 0
        assert "has no room left" in seen.status_info
        assert await asyncio.to_thread(problems_on_console, site, 1) == ["store-full"]
        await asyncio.to_thread(filler.unlink)
        await until_ready(service)
        await tag(user, cluster_id, "again")
        assert (await user.call(operations.GET_CLUSTER, cluster_id=cluster_id)).tags == "again"
        assert await asyncio.to_thread(problems_on_console, site, 0) == []


async def test_a_service_that_cannot_start_says_why_on_the_consoles(site: Site) -> None:
    site.files.write(DATABASE, "no database, but long enough to be looked at as if it were one" * 20)
    process = await node0(site, "serve", "--port", str(free_port()), stderr=asyncio.subprocess.PIPE)
    _, said = await process.communicate()
    assert (process.returncode, b"store-failed" in said) == (EXIT_PROBLEM, True)
    assert problems_on_console(site, 1) == ["store-failed"]


@pytest.mark.parametrize("name", ["tls.key", "tls.crt", "token.key"])
@pytest.mark.parametrize("content", [None, "", "no key"], ids=["missing", "empty", "damaged"])
async def test_a_service_without_a_usable_key_says_so_on_the_consoles(
    site: Site, name: str, content: str | None
) -> None:
    path = site.files.at(f"{NODE0_DIRECTORY}/{name}")
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    process = await node0(site, "serve", "--port", str(free_port()), stderr=asyncio.subprocess.PIPE)
    _, said = await process.communicate()
    assert (process.returncode, b"Traceback" in said, name.encode() in said) == (EXIT_PROBLEM, False, True)
    assert problems_on_console(site, 1) == ["key-unusable"]


async def test_a_service_whose_port_is_taken_says_so_on_the_consoles_until_it_starts(site: Site) -> None:
    with socket.create_server(("", 0)) as occupant:
        port = occupant.getsockname()[1]
        process = await node0(site, "serve", "--port", str(port), stderr=asyncio.subprocess.PIPE)
        _, said = await process.communicate()
    assert (process.returncode, b"Traceback" in said, str(port).encode() in said) == (EXIT_PROBLEM, False, True)
    assert problems_on_console(site, 1) == ["port-taken"]
    async with serving(site, port=port) as service, as_user(service) as user:
        await register(service, user)
        assert await asyncio.to_thread(problems_on_console, site, 0) == []


def problems_on_console(site: Site, number: int) -> list[str]:
    """Codes of the service's problems on node0's consoles, once there are `count` of them."""
    for _ in replacements(site.files.at(CLUSTER_STATUS_FILE).parent):
        shown = site.files.load(CLUSTER_STATUS_FILE, ClusterStatusFile)
        if shown is not None and len(shown.problems) == number:
            return [problem.code for problem in shown.problems]
    raise AssertionError("replacements() never ends")


def fill(path: Path) -> None:
    """Leave no room on the file system of `path`."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


# The file system is checked and mounted as `cluster0-state` is; an error makes it read-only at once.
_MOUNT = 'e2fsck -fy "$1" >/dev/null 2>&1; mount -o errors=remount-ro "$1" "$0" && shift && exec "$@"'


@needs_root
async def test_the_service_reports_a_read_only_disk_and_a_restart_recovers(site: Site, tmp_path: Path) -> None:
    directory = site.files.at(DATABASE).parent
    directory.mkdir(parents=True)
    with loop_disk(tmp_path, 16 * 2**20) as device:
        failing = Path("/sys/fs/ext4") / Path(device).name / "trigger_fs_error"
        await asyncio.to_thread(subprocess.run, ["mkfs.ext4", "-q", device], check=True)
        mounted = ["unshare", "--mount", "sh", "-c", _MOUNT, str(directory), device]
        async with serving(site, prefix=mounted) as service, as_user(service) as user:
            cluster_id = await register(service, user)
            await tag(user, cluster_id, "kept")
            await asyncio.to_thread(failing.write_text, "1")
            # The console says so before any request has written.
            (shown,) = await asyncio.to_thread(problems_on_console, site, 1)
            assert shown in {"store-read-only", "store-failed"}
            with pytest.raises(Refused) as refused:
                await tag(user, cluster_id, "lost")
            assert refused.value.status == 503
            assert refused.value.code in {"store-read-only", "store-failed"}
            assert (await ready(service))[0] == 503
            assert (await user.call(operations.GET_CLUSTER, cluster_id=cluster_id)).tags == "kept"
        async with serving(site, prefix=mounted) as service, as_user(service) as user:
            assert (await user.call(operations.GET_CLUSTER, cluster_id=cluster_id)).tags == "kept"
            await tag(user, cluster_id, "again")
