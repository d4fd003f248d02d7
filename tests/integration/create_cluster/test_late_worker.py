"""A worker that has not come does not hold the install; it boots when the cluster is installed, and joins.

The real service and driver, the real API server and controller manager.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agent.api import operations
from agent.api.clusters import Cluster
from agent.api.hosts import LATE
from agent.api.join import JoinCredential
from agent.api.operations import TokenRole
from agent.kubernetes.client import Kubernetes
from agent.model import host_paths
from agent.model.host_paths import NODE0_KUBECONFIG
from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus, InstallRole, Stage
from node0.join.certificate_request import REQUESTS, CertificateRequest
from replay.programs import Service
from replay.site import Site, host_intent, make_site
from tests.fakes.agent.agent import Agent, inventory
from tests.fakes.kubernetes.kubelet import ask_to_sign, bearer, put_node
from tests.fakes.kubernetes.native_control_plane import ControlPlane, cached_payload, running, signing
from tests.fakes.node0.driver import register
from tests.fakes.node0.programs import driving, serving

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

SECONDS = 120
WORKER_MAC = "52:54:00:00:00:02"
WORKER_LABEL = "node-role.kubernetes.io/worker"


@dataclass(frozen=True)
class Scene:
    service: Service
    cluster: ControlPlane
    admin: Kubernetes

    async def cluster_until(self, status: ClusterStatus) -> Cluster:
        """The cluster, once it has this status."""
        async with self.service.client(TokenRole.WATCHER) as watcher:
            seen = 0
            while True:
                cluster = await watcher.call(operations.GET_CLUSTER, cluster_id=self.service.site.intent.cluster_id)
                if cluster.status is status:
                    return cluster
                events = await watcher.call(operations.LIST_EVENTS, query={"after": seen, "wait": 10})
                seen = events[-1].id if events else seen

    async def events(self) -> list[str]:
        async with self.service.client(TokenRole.WATCHER) as watcher:
            return [event.message for event in await watcher.call(operations.LIST_EVENTS)]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    worker = msgspec.structs.replace(host_intent(name="node1", mac=WORKER_MAC), role=Role.WORKER)
    site = make_site(tmp_path / "node0", hosts=(host_intent(), worker))
    intent = msgspec.structs.replace(site.intent, worker_replicas=1, worker_wait_minutes=0)
    site.files.write(host_paths.INTENT_FILE, msgspec.json.encode(intent))
    return Site(root=site.root, intent=intent, key=site.key)


@pytest.fixture
async def scene(site: Site, tmp_path: Path) -> AsyncIterator[Scene]:
    payload = cached_payload()
    async with (
        running(tmp_path, payload) as cluster,
        signing(cluster, payload),
        Kubernetes.from_kubeconfig(cluster.admin) as admin,
    ):
        shutil.copy(cluster.admin, site.files.at(NODE0_KUBECONFIG))
        site.files.write(f"{host_paths.NODE0_DIRECTORY}/pki/ca.crt", (cluster.directory / "pki/ca.crt").read_bytes())
        async with serving(site) as service, driving(service):
            yield Scene(service, cluster, admin)


async def test_a_late_worker_joins_the_installed_cluster(scene: Scene) -> None:
    async with asyncio.timeout(SECONDS), contextlib.AsyncExitStack() as stack:
        leader = Agent(scene.service)
        worker = Agent(scene.service, inventory(mac=WORKER_MAC, address="127.0.0.2", hostname="node1"))
        for agent in (leader, worker):
            await stack.enter_async_context(agent.client)
        await _the_cluster_is_installed_without_it(scene, leader)
        await _it_boots_and_is_installed(worker)
        await _it_joins(scene, worker)
        await _its_node_is_marked_as_a_worker(scene, worker)


async def _the_cluster_is_installed_without_it(scene: Scene, leader: Agent) -> None:
    await register(leader)
    await leader.wait_for_install()
    assert "Cluster demo: the install starts without node1; they may join later" in await scene.events()
    await leader.install()
    await put_node(scene.admin, "node0", ready=True)
    await scene.cluster_until(ClusterStatus.INSTALLED)


async def _it_boots_and_is_installed(worker: Agent) -> None:
    await register(worker)
    request = await worker.wait_for_install()
    assert request.role is InstallRole.WORKER
    for stage in (Stage.STARTING_INSTALLATION, Stage.WRITING_IMAGE, Stage.REBOOTING, Stage.CONFIGURING):
        await worker.reach(stage)


async def _it_joins(scene: Scene, worker: Agent) -> None:
    credential: JoinCredential = await worker.client.call(operations.MINT_JOIN_CREDENTIAL, **worker.path)
    async with bearer(scene.cluster, credential.token) as session:
        assert await ask_to_sign(session, "late", "node1") == 201
    async with contextlib.aclosing(scene.admin.follow(REQUESTS, CertificateRequest)) as changes:
        async for requests in changes:
            if any(request.metadata.name == "late" and request.is_issued for request in requests):
                break


async def _its_node_is_marked_as_a_worker(scene: Scene, worker: Agent) -> None:
    await put_node(scene.admin, "node1", ready=True)
    await worker.reach(Stage.JOINED)
    await worker.reach(Stage.DONE)
    while True:
        node = await scene.admin.get("/api/v1/nodes/node1", dict[str, Any])
        if WORKER_LABEL in node["metadata"].get("labels", {}):
            break
        await asyncio.sleep(0.2)  # the driver announces no writes
    hosts = {host.requested_hostname: host for host in (await scene.cluster_until(ClusterStatus.INSTALLED)).hosts}
    assert (hosts["node1"].status, hosts["node1"].kind) == (HostStatus.INSTALLED, LATE)
