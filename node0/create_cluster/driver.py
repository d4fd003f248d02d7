"""Look, plan, act; then wait for the next event. After a restart at any moment, it goes on from the actual cluster."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from typing import assert_never

from agent.api import operations
from agent.api.client import Client, Refused, Unreachable, pinned_tls, service_url
from agent.api.clusters import Completion
from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes
from agent.kubernetes.milestones import Milestone, record
from agent.kubernetes.nodes import NODES, wait_for_node
from agent.machine.backoff import LOCAL_SECONDS, delays
from agent.machine.machine import Machine
from agent.model import host_paths
from agent.model.intent import ClusterIntent
from node0 import image_versions, intent_file
from node0.create_cluster import node_marks
from node0.create_cluster.actions import (
    Action,
    AddManifests,
    AwaitNodes,
    DecideHost,
    Finish,
    GiveUp,
    Installed,
    MarkNodes,
    RegisterCluster,
    RegisterInfraEnv,
    StartInstall,
    Wait,
)
from node0.create_cluster.actual import Actual, Observer
from node0.create_cluster.manifests import add_manifests, apply_manifests
from node0.create_cluster.plan import plan
from node0.create_cluster.start import control_plane_is_ready

log = logging.getLogger(__name__)

# How long to wait for nodes before looking at the cluster again: it may have failed meanwhile.
NODES_SECONDS = 60.0
# A look at a thousand hosts takes a while, and there are always new events. So it pauses this many times as long.
PAUSE = 3


async def create_cluster(machine: Machine, *, url: str = "") -> None:
    """Return when the cluster is installed, with every host of the inputs or at the end of the service's lifetime.
    Raises `Problem` when it never will be.

    `url`: the service; by default the one at the rendezvous address, as soon as this host has that address. Another
    host that has it has a driver of its own.
    """
    intent = intent_file.read(machine.files)
    if not url:
        await _until_it_is_here(machine, intent.rendezvous_ip)
    token = machine.files.read(f"{host_paths.NODE0_DIRECTORY}/user.token").strip()
    version = image_versions.read(machine.files).payload.kubernetes_version
    tls = pinned_tls(machine.files.at(host_paths.CA_FILE))
    async with Client(url=url or service_url(intent.rendezvous_ip), tls=tls, token=token) as client:
        driver = Driver(machine, client, intent, kubernetes_version=version)
        await driver.run()


async def _until_it_is_here(machine: Machine, address: str) -> None:
    async with aclosing(machine.netlink.address_changes()) as changes:
        async for _ in changes:
            if machine.kernel.has_address(address):
                return


class Driver:
    def __init__(self, machine: Machine, client: Client, intent: ClusterIntent, *, kubernetes_version: str) -> None:
        self._machine = machine
        self._client = client
        self._intent = intent
        self._kubernetes_version = kubernetes_version
        self._observer = Observer(client, intent)
        self._seen = 0
        self._logged = ""
        self._ready_since: float | None = None
        self._marked: set[str] = set()

    async def run(self) -> None:
        """Run until the cluster is installed. Waits while node0's service or the Kubernetes API does not answer."""
        pauses = delays()
        while True:
            try:
                if await self._step():
                    return
                pauses = delays()
            except (Unreachable, Refused) as problem:
                if isinstance(problem, Refused) and not problem.passes_by_itself and problem.status != 409:
                    raise
                if self._machine.files.at(host_paths.NODE0_DONE_FILE).exists():  # the service's lifetime has ended
                    return
                self._log(problem.title)
                await self._machine.clock.sleep(min(next(pauses), LOCAL_SECONDS))
            except (ApiUnreachable, ApiRefused) as problem:
                self._log(f"waiting for the Kubernetes API: {problem.title}")
                await self._machine.clock.sleep(next(pauses))

    async def _step(self) -> bool:
        """One look and what follows from it; true when there is nothing left to do."""
        await self._read_events(wait=0)
        started = self._machine.clock.monotonic()
        actual = await self._observer.look(seen=self._seen)
        ready_for = self._control_plane_ready_for(actual)
        for action in plan(actual, self._intent, kubernetes_version=self._kubernetes_version, ready_for=ready_for):
            if isinstance(action, Finish):
                self._log("The cluster is installed.")
                return True
            if isinstance(action, MarkNodes):
                unmarked = {name: host for name, host in action.nodes.items() if name not in self._marked}
                if not await self._mark_all(unmarked):
                    return False
                continue
            if isinstance(action, Wait):
                await self._machine.clock.sleep(PAUSE * (self._machine.clock.monotonic() - started))
            await self._execute(action)
        return False

    def _control_plane_ready_for(self, actual: Actual) -> float:
        """Seconds, by the monotonic clock; after a restart the driver counts from 0."""
        now = self._machine.clock.monotonic()
        if not control_plane_is_ready(actual, self._intent):
            self._ready_since = None
        elif self._ready_since is None:
            self._ready_since = now
        return 0.0 if self._ready_since is None else now - self._ready_since

    async def _execute(self, action: Action) -> None:
        match action:
            case RegisterCluster(body):
                self._log(f"registering cluster {body.name}")
                await self._client.call(operations.REGISTER_CLUSTER, body)
            case AddManifests():
                await add_manifests(self._machine, self._client, cluster_id=self._intent.cluster_id)
            case RegisterInfraEnv(body):
                await self._client.call(operations.REGISTER_INFRA_ENV, body)
            case DecideHost(host_id, body, why):
                decision = "approving" if body.approved else "leaving out"
                self._log(f"{decision} host {host_id}: {why}")
                await self._client.call(
                    operations.UPDATE_HOST, body, infra_env_id=self._intent.infra_env_id, host_id=host_id
                )
            case StartInstall(without):
                which = f"without {', '.join(without)}" if without else "all hosts are ready"
                self._log(f"starting the install: {which}")
                query = {"without": ",".join(without)}
                await self._client.call(operations.INSTALL_CLUSTER, query=query, cluster_id=self._intent.cluster_id)
            case AwaitNodes(nodes):
                await self._await_nodes(nodes)
            case Wait(why, seconds):
                self._log(f"waiting. {why}")
                await self._read_events(wait=seconds)
            case GiveUp(problem):
                raise problem
            case Finish() | MarkNodes():
                pass
            case _:
                assert_never(action)

    async def _read_events(self, *, wait: int) -> None:
        """Move on to the last event, waiting up to `wait` seconds for one."""
        query = {"after": self._seen, "wait": wait}
        events = await self._client.call(operations.LIST_EVENTS, query=query, timeout=wait + 30.0)
        if events:
            self._seen = events[-1].id

    async def _await_nodes(self, nodes: dict[str, Installed]) -> None:
        if not await self._mark_all(nodes):
            return
        failed = await apply_manifests(
            self._machine, self._client, cluster_id=self._intent.cluster_id, kubeconfig=host_paths.NODE0_KUBECONFIG
        )
        async with Kubernetes.from_kubeconfig(self._machine.files.at(host_paths.NODE0_KUBECONFIG)) as api:
            await record(api, Milestone.INSTALL_COMPLETE, cluster=self._intent.cluster_id, nodes=", ".join(nodes))
        completion = Completion(is_success=True, error_info=failed)
        await self._client.call(operations.COMPLETE_INSTALLATION, completion, cluster_id=self._intent.cluster_id)

    async def _mark_all(self, nodes: dict[str, Installed]) -> bool:
        """Give Ready nodes their labels and taints; false when not all have become Ready in time."""
        if not nodes:
            return True
        self._log(f"waiting for the nodes to be Ready: {', '.join(nodes)}")
        try:
            async with (
                asyncio.timeout(NODES_SECONDS),
                Kubernetes.from_kubeconfig(self._machine.files.at(host_paths.NODE0_KUBECONFIG)) as api,
            ):
                for name, installed in nodes.items():
                    await wait_for_node(api, name, self._machine.clock, lambda node: node.is_ready)
                    await self._mark(api, name, installed)
                    self._marked.add(name)
        except TimeoutError:
            return False
        return True

    async def _mark(self, api: Kubernetes, name: str, installed: Installed) -> None:
        host = next((host for host in self._intent.hosts if host.hostname.lower() == name), None)
        path = f"{NODES}/{name}"
        if patch := node_marks.patch(installed, host, await api.get(path, node_marks.TaintedNode)):
            await api.merge(path, patch)

    def _log(self, words: str) -> None:
        """Log `words` once, however often the plan repeats them."""
        if words != self._logged:
            log.info("%s", words)
            self._logged = words
