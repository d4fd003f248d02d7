"""`cluster0 hosts retry`: a failed worker starts over while the others go on; its host is a real sshd."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from agent.model.intent import Role
from agent.model.problems import Problem
from agent.model.states import STAGES, ClusterStatus, HostStatus, InstallRole, Stage
from client.hosts.calls import retry
from client.remote.hosts import find_host
from client.remote.service import read_cluster
from client.remote.ssh import Login
from client.remote.target import Target, read_target
from replay.programs import Service, free_port
from replay.site import Site, host_intent, make_site
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.client.auth_directory import write_directory
from tests.fakes.node0.driver import leading, register
from tests.fakes.system.ssh import sshd

pytestmark = pytest.mark.integration

NAMES = ("node0", "alpha", "beta", "gamma")
SYSTEMCTL = '#!/bin/sh\necho "$@" > {systemctl_log}\n'


def mac(number: int) -> str:
    return f"52:54:00:00:00:0{number}"


def address(number: int) -> str:
    return f"127.0.0.{number}"


@pytest.fixture
def masters() -> int:
    """The other hosts are workers, and the cluster can do without one of three."""
    return 1


@pytest.fixture
def site(tmp_path: Path, masters: int) -> Site:
    hosts = [host_intent(name=name, mac=mac(number)) for number, name in enumerate(NAMES, 1)]
    workers = (msgspec.structs.replace(host, role=Role.WORKER) for host in hosts[masters:])
    return make_site(tmp_path / "root", hosts=(*hosts[:masters], *workers), masters=masters)


@pytest.fixture
def target(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Target:
    monkeypatch.setattr("client.remote.target.PORT", free_port())
    return read_target(write_directory(site, tmp_path / "dir"))


@pytest.fixture
def systemctl_log(tmp_path: Path) -> Path:
    """The file in which the host's systemctl keeps its arguments; it is the first on PATH there."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "systemctl").write_text(SYSTEMCTL.format(systemctl_log=tmp_path / "systemctl_log"))
    (programs / "systemctl").chmod(0o755)
    return tmp_path / "systemctl_log"


def restarts(systemctl_log: Path) -> str:
    return systemctl_log.read_text() if systemctl_log.exists() else ""


def hosts(service: Service) -> list[Agent]:
    machines = (inventory(mac=mac(number), address=address(number), hostname=name)
                for number, name in enumerate(NAMES, 1))  # fmt: skip
    return [Agent(service, machine) for machine in machines]


async def status(target: Target, name: str) -> HostStatus:
    return find_host((await read_cluster(target)).hosts, name).status


@asynccontextmanager
async def installing(
    site: Site, target: Target, systemctl_log: Path, directory: Path
) -> AsyncIterator[tuple[Login, list[Agent]]]:
    """Every host has been sent its install; there is an sshd at beta's address."""
    async with (
        leading(site, target.port) as service,
        sshd(directory, address=address(3), programs=systemctl_log.with_name("programs")) as login,
        AsyncExitStack() as stack,
        asyncio.timeout(90),
    ):
        agents = hosts(service)
        for agent in agents:
            await stack.enter_async_context(agent.client)
            await register(agent)
        await asyncio.gather(*(agent.wait_for_install() for agent in agents))
        yield login, agents


async def test_hosts_retry_restarts_a_failed_worker(
    site: Site, target: Target, systemctl_log: Path, tmp_path: Path
) -> None:
    async with installing(site, target, systemctl_log, tmp_path) as (login, agents):
        beta = agents[2]
        with pytest.raises(Problem, match="host-not-failed"):
            await retry(target, "beta", login)
        await beta.reach(Stage.FAILED, "disk-write-failed: /dev/vda")
        assert await status(target, "beta") is HostStatus.ERROR

        assert (await retry(target, mac(3), login)).id == beta.id
        assert restarts(systemctl_log) == "restart cluster0-agent\n"
        await register(beta)  # as the restarted agent does
        assert await status(target, "beta") is HostStatus.INSTALLING
        assert (await beta.wait_for_install()).host_id == beta.id

        await agents[0].reach(Stage.FAILED, "kubeadm-init-failed")
        with pytest.raises(Problem, match="cluster-not-installing") as caught:
            await retry(target, "node0", login)
    assert "Boot every host from the ISO" in caught.value.remedy


async def test_a_host_that_runs_its_installed_system_is_booted_again(
    site: Site, target: Target, systemctl_log: Path, tmp_path: Path
) -> None:
    async with installing(site, target, systemctl_log, tmp_path) as (login, (_, _, beta, _)):
        for stage in STAGES[InstallRole.WORKER][: STAGES[InstallRole.WORKER].index(Stage.JOINED)]:
            await beta.reach(stage)
        await beta.reach(Stage.FAILED, "join-failed: no credential")
        with pytest.raises(Problem, match="host-left-live-image") as caught:
            await retry(target, "beta", login)
        assert '"Install again"' in caught.value.remedy
        assert restarts(systemctl_log) == ""
        await register(beta)  # as it does when it has booted the ISO
        assert (await beta.wait_for_install()).host_id == beta.id


@pytest.mark.parametrize("masters", [3])
async def test_the_cluster_waits_for_a_failed_control_plane(
    site: Site, target: Target, systemctl_log: Path, tmp_path: Path
) -> None:
    async with installing(site, target, systemctl_log, tmp_path) as (login, (node0, alpha, beta, gamma)):
        await beta.reach(Stage.CONFIGURING)
        await beta.reach(Stage.FAILED, "kubeadm-join-failed: kubeadm join failed on beta, 4 times.")
        waiting = await read_cluster(target)
        assert waiting.status is ClusterStatus.INSTALLING_PENDING_USER_ACTION
        assert "Boot them from the ISO again: their installs start over. beta: Failed at" in waiting.status_info
        with pytest.raises(Problem, match="host-left-live-image"):
            await retry(target, "beta", login)
        await gamma.install(InstallRole.WORKER)
        await register(beta)
        assert (await beta.wait_for_install()).role is InstallRole.MASTER
        assert (await read_cluster(target)).status is ClusterStatus.INSTALLING
        for other in (alpha, beta):
            await other.install(InstallRole.MASTER)
        await node0.install()
        assert (await read_cluster(target)).status is ClusterStatus.FINALIZING


async def test_a_retried_worker_may_join_after_the_others_are_installed(
    site: Site, target: Target, systemctl_log: Path, tmp_path: Path
) -> None:
    async with installing(site, target, systemctl_log, tmp_path) as (login, (node0, alpha, beta, gamma)):
        await beta.reach(Stage.FAILED, "disk-write-failed: /dev/vda")
        for worker in (alpha, gamma):
            await worker.install(InstallRole.WORKER)
        await node0.install()
        assert (await read_cluster(target)).status is ClusterStatus.FINALIZING
        await retry(target, "beta", login)
        await register(beta)
        assert (await beta.wait_for_install()).host_id == beta.id
        assert (await read_cluster(target)).status is ClusterStatus.FINALIZING
