"""`wait-for` against the real service and driver, and a real API server where there is a payload in the cache."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from agent.api import operations
from agent.api.checks import ConnectivityReport, L3Connectivity, Peer, RemoteHost
from agent.api.client import Refused
from agent.api.clusters import Completion
from agent.api.operations import TokenRole
from agent.api.steps import StepType
from agent.kubernetes.client import Kubernetes
from agent.kubernetes.milestones import Milestone, record
from agent.machine.clock import Clock
from agent.model.problems import Problem
from agent.model.states import EventSeverity, Stage
from client.observe.observation import Observation
from client.observe.phase import InstallPhase
from client.remote.target import Target
from client.wait_for.goal import Goal
from client.wait_for.lines import Line, LineKind
from client.wait_for.progress_view import ProgressView
from client.wait_for.run import success, wait_for_goal
from image_build.credentials.fresh import make
from image_build.credentials.one_time import Identity
from replay.programs import Service, free_port
from replay.site import Site, host_intent, make_site
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.kubernetes import native_control_plane
from tests.fakes.node0.driver import leading, register
from tests.fakes.node0.programs import driving, serving

pytestmark = pytest.mark.integration

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node0"}}


class Output:
    """A screen that a test reads line by line."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[Line] = asyncio.Queue()

    def line(self, line: Line) -> None:
        self._lines.put_nowait(line)

    def show(self, view: ProgressView) -> None:
        assert 0 <= view.percent <= 100

    async def until(self, phase: InstallPhase) -> Line:
        return await self._first(lambda line: line.phase is phase)

    async def check(self, check: str) -> Line:
        return await self._first(lambda line: line.check == check)

    async def kind(self, kind: LineKind) -> Line:
        return await self._first(lambda line: line.kind is kind)

    async def _first(self, wanted: Callable[[Line], bool]) -> Line:
        async with asyncio.timeout(60):
            while True:
                line = await self._lines.get()
                if wanted(line):
                    return line


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path / "root")


def target(site: Site, directory: Path, port: int, kubeconfig: Path | None = None) -> Target:
    if kubeconfig is None:  # of an API server that is not there
        identity = Identity(name="demo", base_domain="x", rendezvous_ip="127.0.0.1", api_address="127.0.0.1")
        kubeconfig = directory / "kubeconfig"
        text = make(identity, datetime.now(UTC)).admin_kubeconfig
        kubeconfig.write_text(text.replace(":6443", f":{free_port()}"))
    token = site.token(TokenRole.WATCHER)
    return Target(address="127.0.0.1", ca=site.ca, token=token, kubeconfig=kubeconfig, intent=site.intent, port=port)


@contextlib.asynccontextmanager
async def following(target: Target) -> AsyncIterator[tuple[Output, asyncio.Task[Observation]]]:
    """The wait for the end of the install, under way; given up with the block."""
    output = Output()
    task = asyncio.create_task(wait_for_goal(target, Goal.INSTALL_COMPLETE, output, timeout=90, clock=Clock()))
    try:
        yield output, task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Problem):
            await task


async def test_wait_for_reports_from_no_node0_to_a_failed_install(site: Site, tmp_path: Path) -> None:
    port = free_port()
    async with following(target(site, tmp_path, port)) as (output, task):
        assert (await output.until(InstallPhase.SERVICE_DOWN)).message.endswith("Connection refused.")
        async with serving(site, port=port) as service, driving(service):
            missing = await output.until(InstallPhase.WAITING_FOR_HOSTS)
            while "node0 (52:54:00:00:00:01)" not in missing.message:
                missing = await output.until(InstallPhase.WAITING_FOR_HOSTS)
            agent = Agent(service, inventory(disk_gb=1))
            async with agent.client:
                await register(agent)
                await agent.send_inventory()
                failing = await output.check("has-min-valid-disks")
                assert (failing.host, bool(failing.remedy)) == ("node0", True)
                agent.inventory = inventory()
                await register(agent)  # with another disk, after a reboot
                await agent.wait_for_install()
                await agent.reach(Stage.WRITING_IMAGE, "10%")
                await agent.reach(Stage.FAILED, "disk-write-failed: /dev/vda: input/output error")
            with pytest.raises(Problem, match="bootstrap-failed") as caught:
                await task
    assert "disk-write-failed" in caught.value.detail


async def test_wait_for_names_pairs_of_hosts_that_do_not_reach_each_other(tmp_path: Path) -> None:
    other = "52:54:00:00:00:02"
    site, port = make_site(tmp_path / "root", hosts=(host_intent(), host_intent(name="beta", mac=other))), free_port()
    async with leading(site, port) as service, following(target(site, tmp_path, port)) as (output, _):
        agents = (Agent(service), Agent(service, inventory(mac=other, address="127.0.0.2", hostname="beta")))
        async with agents[0].client, agents[1].client:
            for agent in agents:
                await register(agent)
                await agent.send_inventory()
            await answer_until_peers_are_asked_for(agents[0])
            line = await output.kind(LineKind.PEER_FAILURE)
            matrix = (await output.kind(LineKind.MATRIX)).matrix
    assert (line.host, line.peer, line.address, line.severity) == ("node0", "beta", "127.0.0.2", EventSeverity.WARNING)
    assert line.message == "to beta, 127.0.0.2 through eth0: no echo"
    assert matrix == {"node0": {"beta": ("ping eth0",)}}


async def answer_until_peers_are_asked_for(agent: Agent) -> None:
    """And then report that no peer answers."""
    async with asyncio.timeout(30):
        while True:
            for step in await agent.steps(wait=10):
                if step.step_type != StepType.CONNECTIVITY_CHECK:
                    await agent.answer(step)
                    continue
                peers = msgspec.json.decode(step.args[0], type=list[Peer])
                await agent.reply(step, ConnectivityReport(remote_hosts=tuple(map(without_echo, peers))))
                if peers:
                    return


def without_echo(peer: Peer) -> RemoteHost:
    address = peer.nics[0].ip_addresses[0]
    dead = L3Connectivity(outgoing_nic="eth0", remote_ip_address=address, packet_loss_percentage=100)
    return RemoteHost(host_id=peer.host_id, l3_connectivity=(dead,))


async def test_wait_for_continues_through_node0s_reboot_to_the_end(site: Site, tmp_path: Path) -> None:
    port, payload = free_port(), native_control_plane.cached_payload()
    async with (
        native_control_plane.running(tmp_path, payload) as control_plane,
        Kubernetes.from_kubeconfig(control_plane.admin) as api,
        following(target(site, tmp_path, port, control_plane.admin)) as (output, task),
    ):
        async with serving(site, port=port) as service, driving(service):
            agent = Agent(service)
            async with agent.client:
                await output.until(InstallPhase.WAITING_FOR_HOSTS)
                await register(agent)
                await agent.wait_for_install()
                await output.until(InstallPhase.INSTALLING)
                await bootstrapped(api)
                await agent.reach(Stage.REBOOTING)
                assert (await output.kind(LineKind.STAGE)).stage == "Rebooting"
        await output.until(InstallPhase.NODE0_REBOOTING)
        assert not task.done()
        async with serving(site, port=port) as service:
            agent.service = service
            async with agent.client:
                for stage in (Stage.CONFIGURING, Stage.JOINED, Stage.DONE):
                    await agent.reach(stage)
            await output.until(InstallPhase.FINALIZING)
            await complete(service)
            await output.until(InstallPhase.INSTALLED)
            async with asyncio.timeout(30):
                seen = await task
    line = success(Goal.INSTALL_COMPLETE, target(site, tmp_path, port, control_plane.admin), seen)
    assert line.message.startswith(f"demo.example.test is installed with 1 Ready node: {line.api_url}, kubeconfig /")
    assert seen.kubernetes.by_name is not None
    assert seen.kubernetes.by_name.name == "api.demo.example.test"
    assert seen.kubernetes.by_name.why, "the name does not exist in DNS"


async def bootstrapped(api: Kubernetes) -> None:
    """What the bootstrap and a kubelet leave behind."""
    await record(api, Milestone.BOOTSTRAP_COMPLETE)
    await api.apply("/api/v1/nodes/node0", NODE)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ready = {"type": "Ready", "status": "True", "reason": "Test", "message": "", "lastTransitionTime": now}
    await api.apply("/api/v1/nodes/node0/status", {**NODE, "status": {"conditions": [ready]}})


async def complete(service: Service) -> None:
    done, cluster_id = Completion(is_success=True), service.site.intent.cluster_id
    async with service.client(TokenRole.USER) as user:
        await user.call(operations.COMPLETE_INSTALLATION, done, cluster_id=cluster_id)


async def test_another_clusters_token_ends_the_wait(site: Site, tmp_path: Path) -> None:
    other_site = make_site(tmp_path / "other")
    async with serving(site) as service:
        own = target(site, tmp_path, service.port)
        looking_for = replace(own, token=other_site.token(TokenRole.WATCHER))
        with pytest.raises(Refused, match="token-invalid"):
            await wait_for_goal(looking_for, Goal.INSTALL_COMPLETE, Output(), timeout=30, clock=Clock())


async def test_wait_for_does_not_trust_another_clusters_node0(site: Site, tmp_path: Path) -> None:
    other_site = make_site(tmp_path / "other")
    async with serving(other_site) as service, following(target(site, tmp_path, service.port)) as (output, _):
        line = await output.until(InstallPhase.SERVICE_UNTRUSTED)
    assert "ISO in this directory" in line.remedy


async def test_a_missed_deadline_reports_the_phase(site: Site, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="wait-deadline") as caught:
        looking_for = target(site, tmp_path, free_port())
        await wait_for_goal(looking_for, Goal.BOOTSTRAP_COMPLETE, Output(), timeout=0.1, clock=Clock())
    assert caught.value.detail.startswith("service-down:")
