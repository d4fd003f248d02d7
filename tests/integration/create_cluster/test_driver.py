"""The real driver process against the real service, with hosts that behave like agents."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import random
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agent.api import operations
from agent.api.clusters import Cluster
from agent.api.operations import TokenRole
from agent.api.requests import ManifestCreate
from agent.kubernetes.client import Kubernetes
from agent.kubernetes.milestones import Milestone, is_reached
from agent.model.host_paths import MANIFESTS_DIRECTORY, NODE0_KUBECONFIG
from agent.model.states import ClusterStatus, Stage
from replay.programs import Service
from replay.site import make_site
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.kubernetes import native_control_plane
from tests.fakes.kubernetes.kubelet import put_node
from tests.fakes.node0.programs import node0, serving

pytestmark = pytest.mark.integration

EXIT_PROBLEM = 6
LONGEST_LIFE_SECONDS = 4.0


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(make_site(tmp_path)) as service:
        yield service


@contextlib.asynccontextmanager
async def driving(service: Service) -> AsyncIterator[asyncio.subprocess.Process]:
    """`create-cluster`, killed at the end of the block if it still runs."""
    process = await node0(service.site, "create-cluster", "--url", service.url, stderr=asyncio.subprocess.PIPE)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        await process.communicate()


async def says(driver: asyncio.subprocess.Process, words: str) -> str:
    """The driver's first line from here on that has `words` in it."""
    assert driver.stderr is not None
    async with asyncio.timeout(60):
        async for line in driver.stderr:
            if words in line.decode():
                return line.decode()
    raise AssertionError(f"the driver ended without saying {words!r}")


async def cluster(service: Service) -> Cluster:
    async with service.client(TokenRole.WATCHER) as watcher:
        return await watcher.call(operations.GET_CLUSTER, cluster_id=service.site.intent.cluster_id)


async def test_the_driver_installs_the_hosts_of_the_inputs_and_no_other(service: Service) -> None:
    listed, unlisted = Agent(service), Agent(service, inventory(mac="52:54:00:ff:ff:ff", address="127.0.0.9"))
    async with driving(service) as driver, listed.client, unlisted.client:
        await says(driver, "registering cluster demo")
        await says(driver, "waiting")
        for agent in (unlisted, listed):
            await agent.register()
            await agent.send_inventory()
        await listed.wait_for_install()
        hosts = {host.id: host for host in (await cluster(service)).hosts}
    assert (hosts[listed.id].approved, hosts[unlisted.id].approved) == (True, False)
    assert hosts[listed.id].requested_hostname == "node0"


async def test_the_driver_continues_after_a_restart(service: Service) -> None:
    agent = Agent(service)
    async with agent.client:
        async with driving(service) as driver:
            await says(driver, "waiting")
            await agent.register()
        async with driving(service) as driver:
            await agent.send_inventory()
            await says(driver, "starting the install")
        async with driving(service) as driver:
            await agent.wait_for_install()
            await agent.install()
            await says(driver, "waiting for the nodes to be Ready: node0")
    assert (await cluster(service)).status is ClusterStatus.FINALIZING


async def test_the_driver_ends_with_the_reason_of_a_failed_install(service: Service) -> None:
    agent = Agent(service)
    async with driving(service) as driver, agent.client:
        await says(driver, "waiting")
        await agent.register()
        await agent.send_inventory()
        await agent.wait_for_install()
        await agent.reach(Stage.WRITING_IMAGE, "10%")
        await agent.reach(Stage.FAILED, "disk-write-failed: /dev/vda: input/output error")
        line = await says(driver, "install-failed")
        assert await driver.wait() == EXIT_PROBLEM
    for words in ("node0", "Writing image to disk", "disk-write-failed", "/dev/vda"):
        assert words in line


async def test_the_driver_reports_installed_when_the_nodes_are_ready(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real API server: the node is there but not Ready at first. Then the user's manifests are applied, by a
    driver that is killed now and then: nothing of it shows in the end."""
    agent = Agent(service)
    payload = native_control_plane.cached_payload()
    monkeypatch.setenv("PATH", f"{payload.directory / 'bin'}:{os.environ['PATH']}")
    async with (
        native_control_plane.running(tmp_path, payload) as control_plane,
        Kubernetes.from_kubeconfig(control_plane.admin) as api,
        agent.client,
    ):
        shutil.copy(control_plane.admin, service.site.files.at(NODE0_KUBECONFIG))
        service.site.files.write(f"{MANIFESTS_DIRECTORY}/manifests/of-the-iso.yaml", OF_THE_ISO, mode=0o600)
        async with driving(service) as driver:
            await says(driver, "waiting")
            await add_manifest(service)
            await agent.register()
            await agent.send_inventory()
            await agent.wait_for_install()
            await agent.install()
            await says(driver, "waiting for the nodes to be Ready: node0")
            await put_node(api, "node0", ready=False)
        for _ in range(3):
            async with driving(service):
                await put_node(api, "node0", ready=True)
                await asyncio.sleep(random.uniform(0.5, LONGEST_LIFE_SECONDS))
        async with driving(service) as driver:
            await says(driver, "The cluster is installed.")
            assert await driver.wait() == 0
        applied = await api.get("/api/v1/namespaces/kube-system/configmaps/extra", dict[str, Any])
        assert await is_reached(api, Milestone.INSTALL_COMPLETE)
        of_the_iso = await api.get("/api/v1/namespaces/site/configmaps/extra", dict[str, Any])
    assert applied["data"] == {"asked": "for"}
    assert of_the_iso["data"] == {"came": "along"}
    assert [field["manager"] for field in of_the_iso["metadata"]["managedFields"]] == ["cluster0"]
    assert (await cluster(service)).status is ClusterStatus.INSTALLED
    async with service.client(TokenRole.WATCHER) as watcher:
        names = [event.name for event in await watcher.call(operations.LIST_EVENTS)]
    assert names.count("cluster_installation_completed") == 1


OF_THE_ISO = """\
{apiVersion: v1, kind: Namespace, metadata: {name: site}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: extra, namespace: site}, data: {came: along}}
"""


async def add_manifest(service: Service) -> None:
    manifest = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: kube-system}\ndata: {asked: for}\n"
    body = ManifestCreate(file_name="extra.yaml", content=base64.b64encode(manifest).decode())
    async with service.client(TokenRole.USER) as user:
        await user.call(operations.CREATE_MANIFEST, body, cluster_id=service.site.intent.cluster_id)
