"""The real service process over TLS on loopback, the real client, and hosts that behave like agents."""

from __future__ import annotations

import asyncio
import signal
import tarfile
import time
from pathlib import Path

import psutil
import pytest

from agent.api import operations
from agent.api.client import Client, Refused, Unreachable, pinned_tls
from agent.api.clusters import Cluster, Completion
from agent.api.hosts import Host, HostUpdate
from agent.api.operations import TokenRole
from agent.api.steps import StepType
from agent.api.timestamps import UNSET_TIME
from agent.logs import upload
from agent.machine.files import Files
from agent.machine.inotify import replacements
from agent.model import host_paths
from agent.model.host_documents import ClusterStatusFile
from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.bootstrap.service import move_store
from node0.store.location import DATABASE
from replay.programs import Service
from replay.site import make_site
from tests.fakes.agent.agent import Agent
from tests.fakes.agent.machine import machine_in
from tests.fakes.node0.cluster import register_cluster
from tests.fakes.node0.programs import serving
from tests.fakes.system.other_file_system import another_file_system

pytestmark = pytest.mark.integration


async def start_install(agent: Agent, user: Client) -> None:
    """From nothing to the install step in the agent's hands."""
    await agent.register()
    await agent.send_inventory()
    await user.call(operations.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
    await user.call(operations.INSTALL_CLUSTER, cluster_id=agent.service.site.intent.cluster_id)
    await agent.wait_for_install()


async def cluster(service: Service, user: Client) -> Cluster:
    return await user.call(operations.GET_CLUSTER, cluster_id=service.site.intent.cluster_id)


def connections_to(service: Service) -> int:
    """Of this process."""
    found = psutil.Process().net_connections("tcp")
    return sum(item.status == psutil.CONN_ESTABLISHED and item.raddr.port == service.port for item in found)


async def test_a_client_calls_at_once_over_the_connections_that_it_may_open(service: Service) -> None:
    token, tls = service.site.token(TokenRole.USER), pinned_tls(service.site.ca)
    async with Client(url=service.url, tls=tls, token=token, connections=2) as client:
        replies = await asyncio.gather(*(client.call(operations.LIST_INFRA_ENVS) for _ in range(8)))
        assert replies == [[]] * 8
        assert connections_to(service) == 2


async def test_from_register_to_installed(service: Service, user: Client) -> None:
    await register_cluster(service)
    agent = Agent(service)
    async with agent.client:
        assert (await agent.register()).status is HostStatus.DISCOVERING
        await agent.send_inventory()
        known = await user.call(operations.GET_HOST, **agent.path)
        assert known.status is HostStatus.KNOWN
        assert known.checked_in_at >= known.registered_at
        assert (await cluster(service, user)).status is ClusterStatus.INSUFFICIENT
        await user.call(operations.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
        assert (await cluster(service, user)).status is ClusterStatus.READY

        await user.call(operations.INSTALL_CLUSTER, cluster_id=service.site.intent.cluster_id)
        request = await agent.wait_for_install()
        assert (request.role, request.boot_device) == ("bootstrap", "/dev/disk/by-path/pci-0000:00:04.0")
        await agent.install()

        assert (await cluster(service, user)).status is ClusterStatus.FINALIZING
        done = await user.call(
            operations.COMPLETE_INSTALLATION, Completion(is_success=True), cluster_id=service.site.intent.cluster_id
        )
    assert done.status is ClusterStatus.INSTALLED
    assert done.progress.total_percentage == 100
    assert done.install_completed_at != UNSET_TIME
    assert done.hosts[0].status is HostStatus.INSTALLED


async def test_a_stage_reported_after_a_restart_goes_on_where_it_was(tmp_path: Path) -> None:
    """Killed while a host installs, the service comes back with all it had said it knew."""
    site = make_site(tmp_path)
    async with serving(site) as first, first.client(TokenRole.USER) as user:
        await register_cluster(first)
        agent = Agent(first)
        async with agent.client:
            await start_install(agent, user)
            await agent.reach(Stage.WRITING_IMAGE, "50%")
            events = await user.call(operations.LIST_EVENTS)
            await first.stop(signal.SIGKILL)
            async with serving(site, port=first.port):
                host = await user.call(operations.GET_HOST, **agent.path)
                assert (host.progress.current_stage, host.progress.progress_info) == (Stage.WRITING_IMAGE, "50%")
                assert await user.call(operations.LIST_EVENTS) == events
                await agent.reach(Stage.REBOOTING)


def reported(host: Host) -> tuple[object, ...]:
    """What a host has answered, and what was made of it."""
    answers = host.inventory, host.images_status, host.domain_name_resolutions, host.ntp_sources
    return (host.status, host.validations_info, *answers)


async def test_what_a_host_reported_survives_a_restart_of_either_side(tmp_path: Path) -> None:
    """The database keeps the hosts. A restarted agent is known by its boot id; a rebooted machine reports again."""
    site = make_site(tmp_path)
    async with serving(site) as first, first.client(TokenRole.USER) as user:
        await register_cluster(first)
        agent = Agent(first)
        async with agent.client:
            await agent.register(boot_id="one")
            await agent.send_inventory()
            for step in await agent.steps():
                await agent.answer(step)
            before = await user.call(operations.GET_HOST, **agent.path)
            assert before.status is HostStatus.KNOWN
            assert before.images_status
            await first.stop(signal.SIGKILL)
            async with serving(site, port=first.port):
                assert reported(await user.call(operations.GET_HOST, **agent.path)) == reported(before)
                assert reported(await agent.register(boot_id="one")) == reported(before)
                assert StepType.INVENTORY in {step.step_type for step in await agent.steps()}, "it is refreshed"
                assert (await agent.register(boot_id="two")).status is HostStatus.DISCOVERING


async def test_a_long_poll_is_answered_by_what_happens(service: Service, user: Client) -> None:
    """The install step reaches a host that is waiting in under a second after the install was started."""
    await register_cluster(service)
    agent = Agent(service)
    async with agent.client:
        await agent.register()
        await agent.send_inventory()
        await user.call(operations.UPDATE_HOST, HostUpdate(approved=True), **agent.path)
        for step in await agent.steps():
            await agent.reply(
                step, {"ntp_sources": []} if step.step_type == StepType.NTP_SYNCHRONIZER else agent.inventory
            )
        waiting = asyncio.create_task(agent.wait_for_install())
        last = (await user.call(operations.LIST_EVENTS))[-1].id
        news = asyncio.create_task(user.call(operations.LIST_EVENTS, query={"after": last, "wait": 30}, timeout=40))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        assert not news.done()
        started = time.monotonic()
        await user.call(operations.INSTALL_CLUSTER, cluster_id=service.site.intent.cluster_id)
        await asyncio.gather(waiting, news)
        assert time.monotonic() - started < 5
    assert news.result()[0].name == "cluster_prepare_installation_started"


async def test_a_poll_without_wait_is_answered_at_once_and_told_to_pause(service: Service, user: Client) -> None:
    """As unmodified agents do it."""
    await register_cluster(service)
    agent = Agent(service)
    async with agent.client:
        await agent.register()
        first = await agent.client.call(operations.GET_INSTRUCTIONS, **agent.path)
        second = await agent.client.call(operations.GET_INSTRUCTIONS, **agent.path)
    assert [step.step_type for step in first.instructions] == [StepType.INVENTORY]
    assert (second.instructions, second.next_instruction_seconds) == ((), 60)


async def hand_in_logs(service: Service, archive: Path) -> None:
    """Of a host that has failed."""
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(__file__, arcname="journal")
    agent = Agent(service)
    async with agent.client:
        await agent.register()
        await upload(agent.client, archive, cluster_id=service.site.intent.cluster_id, **agent.path)


async def test_the_store_moves_to_the_state_file_system(service: Service, user: Client, tmp_path: Path) -> None:
    """With the logs that were handed in before."""
    files = service.site.files
    await register_cluster(service)
    cluster_id = service.site.intent.cluster_id
    await hand_in_logs(service, tmp_path / "logs.tar.gz")
    logs = await user.download(operations.DOWNLOAD_LOGS, cluster_id=cluster_id)
    with pytest.raises(Refused) as refused:
        await user.call(operations.MOVE_STORE, cluster_id=cluster_id)
    assert (refused.value.status, refused.value.code) == (409, "state-not-mounted")
    with another_file_system(files.at(host_paths.STATE_MOUNT)):
        await user.call(operations.MOVE_STORE, cluster_id=cluster_id)
        assert files.names("/var/lib/cluster0") == ()
        assert files.at(host_paths.STATE_MOUNT + DATABASE).exists()
        assert await user.download(operations.DOWNLOAD_LOGS, cluster_id=cluster_id) == logs
        await user.call(operations.MOVE_STORE, cluster_id=cluster_id)
        await service.stop(signal.SIGKILL)
        async with serving(service.site, port=service.port):
            assert (await cluster(service, user)).name == "demo"
            assert await user.download(operations.DOWNLOAD_LOGS, cluster_id=cluster_id) == logs


async def test_the_bootstrap_waits_for_a_service_that_has_died_to_move_the_store(
    service: Service, user: Client, tmp_path: Path
) -> None:
    site = service.site
    await register_cluster(service)
    await service.stop(signal.SIGKILL)
    with another_file_system(site.files.at(host_paths.STATE_MOUNT)):
        moving = asyncio.create_task(move_store(machine_in(tmp_path / "bootstrap"), user, site.intent.cluster_id))
        async with serving(site, port=service.port) as again, asyncio.timeout(60):
            await moving
            assert site.files.at(host_paths.STATE_MOUNT + DATABASE).exists()
            assert (await cluster(again, user)).name == "demo"


async def test_the_service_ends_after_its_lifetime_and_starts_with_a_new_one(tmp_path: Path) -> None:
    site, lifetime = make_site(tmp_path), ("--lifetime", "4")
    async with serving(site, *lifetime) as service, service.client(TokenRole.USER) as user:
        await register_cluster(service)
        agent = Agent(service)
        async with agent.client:
            await start_install(agent, user)
            await agent.install()
        completion = Completion(is_success=True)
        await user.call(operations.COMPLETE_INSTALLATION, completion, cluster_id=site.intent.cluster_id)
        assert await service.process.wait() == 0
    site.files.at(host_paths.NODE0_DONE_FILE).unlink()
    async with serving(site, *lifetime) as service, service.client(TokenRole.USER) as user:
        cluster = await user.call(operations.GET_CLUSTER, cluster_id=site.intent.cluster_id)
        assert cluster.status is ClusterStatus.INSTALLED
        assert await service.process.wait() == 0
    assert site.files.at(host_paths.NODE0_DONE_FILE).exists()


async def test_the_service_writes_the_cluster_status_for_the_consoles(service: Service, user: Client) -> None:
    await register_cluster(service)
    shown = await asyncio.to_thread(status_file, service.site.files)
    assert (shown.name, shown.status) == ("demo", ClusterStatus.INSUFFICIENT)


def status_file(files: Files) -> ClusterStatusFile:
    """The file as soon as it is there."""
    for _ in replacements(files.at(host_paths.CLUSTER_STATUS_FILE).parent):
        if (status := files.load(host_paths.CLUSTER_STATUS_FILE, ClusterStatusFile)) is not None:
            return status
    raise AssertionError("replacements() never ends")


async def test_sigterm_ends_the_service_at_once_during_a_long_poll(service: Service, user: Client) -> None:
    await register_cluster(service)
    agent = Agent(service)
    async with agent.client:
        await agent.register()
        await agent.send_inventory()
        for step in await agent.steps():
            await agent.reply(step, exit_code=1, error="no chronyd")
        waiting = asyncio.create_task(agent.steps(wait=60))
        await asyncio.sleep(0.2)
        started = time.monotonic()
        assert await service.stop() == 0
        assert time.monotonic() - started < 5
        with pytest.raises(Unreachable):
            await waiting


async def test_a_host_whose_clock_is_a_year_off_registers_with_a_warning(agent: Agent, user: Client) -> None:
    """Its status, which its console shows, says so; TLS does not fail first (test_create_image)."""
    await agent.send_inventory()
    year = 365 * 24 * 3600
    for seconds, words in ((year, "ahead of"), (-year, "behind")):
        await agent.steps(timestamp=int(time.time()) + seconds)
        host = await user.call(operations.GET_HOST, **agent.path)
        assert "The host's clock is 5256" in host.status_info
        assert words in host.status_info
