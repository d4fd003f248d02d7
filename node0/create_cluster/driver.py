"""Look, plan, act; then wait for the next event. Restarted at any moment, it goes on from what there is."""

from __future__ import annotations

import asyncio
import logging
from typing import assert_never

from agent.api import local, routes
from agent.api.client import Client, Refused, Unreachable, pinned_tls, service_url
from agent.api.intent import ClusterIntent, Role
from agent.api.resources import Completion
from agent.backoff import delays
from agent.kubernetes.client import Kubernetes
from agent.kubernetes.nodes import NODES, wait_for_node
from agent.machine.machine import Machine
from node0 import intent_file, release
from node0.create_cluster import node_marks
from node0.create_cluster.actual import observe
from node0.create_cluster.manifests import add_manifests, apply_manifests
from node0.create_cluster.plan import (
    Action,
    AddManifests,
    AwaitNodes,
    DecideHost,
    Finish,
    GiveUp,
    RegisterCluster,
    RegisterInfraEnv,
    StartInstall,
    Wait,
    plan,
)

log = logging.getLogger(__name__)

KUBECONFIG = f"{local.NODE0_DIRECTORY}/admin.conf"
EVENTS_SECONDS = 60

# How long to look at the nodes before looking at the cluster again: it may have failed meanwhile.
NODES_SECONDS = 60.0


async def create_cluster(machine: Machine, *, url: str = "") -> None:
    """Return when the cluster is installed. Raises `Problem` when it never will be.

    `url`: the service; by default the one at the rendezvous address.
    """
    intent = intent_file.read(machine.files)
    token = machine.files.read(f"{local.NODE0_DIRECTORY}/user.token").strip()
    version = release.read(machine.files).payload.kubernetes_version
    tls = pinned_tls(machine.files.at(local.CA_FILE))
    async with Client(url=url or service_url(intent.rendezvous_ip), tls=tls, token=token) as client:
        driver = Driver(machine, client, intent, kubernetes_version=version)
        await driver.run()


class Driver:
    def __init__(self, machine: Machine, client: Client, intent: ClusterIntent, *, kubernetes_version: str) -> None:
        self._machine = machine
        self._client = client
        self._intent = intent
        self._kubernetes_version = kubernetes_version
        self._seen = 0
        self._said = ""

    async def run(self) -> None:
        """Until installed; a service that is away or restarts is waited for."""
        pauses = delays()
        while True:
            try:
                if await self._step():
                    return
                pauses = delays()
            except (Unreachable, Refused) as problem:
                if isinstance(problem, Refused) and problem.status < 500 and problem.status != 409:
                    raise
                self._say(problem.title)
                await self._machine.clock.sleep(next(pauses))

    async def _step(self) -> bool:
        """One look and what follows from it; true when there is nothing left to do."""
        await self._read_events(wait=0)
        actual = await observe(self._client, self._intent)
        for action in plan(actual, self._intent, kubernetes_version=self._kubernetes_version):
            if isinstance(action, Finish):
                self._say("The cluster is installed.")
                return True
            await self._execute(action)
        return False

    async def _execute(self, action: Action) -> None:
        match action:
            case RegisterCluster(body):
                self._say(f"registering cluster {body.name}")
                await self._client.call(routes.REGISTER_CLUSTER, body)
            case AddManifests():
                await add_manifests(self._machine, self._client, cluster_id=self._intent.cluster_id)
            case RegisterInfraEnv(body):
                await self._client.call(routes.REGISTER_INFRA_ENV, body)
            case DecideHost(host_id, body, why):
                self._say(f"approving host {host_id}: {why}")
                await self._client.call(
                    routes.UPDATE_HOST, body, infra_env_id=self._intent.infra_env_id, host_id=host_id
                )
            case StartInstall():
                self._say("all hosts are ready: starting the install")
                await self._client.call(routes.INSTALL_CLUSTER, cluster_id=self._intent.cluster_id)
            case AwaitNodes(nodes):
                await self._await_nodes(nodes)
            case Wait(why):
                self._say(f"waiting. {why}")
                await self._read_events(wait=EVENTS_SECONDS)
            case GiveUp(problem):
                raise problem
            case Finish():
                pass
            case _:
                assert_never(action)

    async def _read_events(self, *, wait: int) -> None:
        """Move on to the last event, waiting up to `wait` seconds for one."""
        query = {"after": self._seen, "wait": wait}
        events = await self._client.call(routes.LIST_EVENTS, query=query, timeout=wait + 30.0)
        if events:
            self._seen = events[-1].id

    async def _await_nodes(self, nodes: dict[str, Role]) -> None:
        self._say(f"waiting for the nodes to be Ready: {', '.join(nodes)}")
        try:
            async with (
                asyncio.timeout(NODES_SECONDS),
                Kubernetes.from_kubeconfig(self._machine.files.at(KUBECONFIG)) as api,
            ):
                for name, role in nodes.items():
                    await wait_for_node(api, name, self._machine.clock, lambda node: node.is_ready)
                    await self._mark(api, name, role)
        except TimeoutError:
            return
        failed = await apply_manifests(
            self._machine, self._client, cluster_id=self._intent.cluster_id, kubeconfig=KUBECONFIG
        )
        completion = Completion(is_success=True, error_info=failed)
        await self._client.call(routes.COMPLETE_INSTALLATION, completion, cluster_id=self._intent.cluster_id)

    async def _mark(self, api: Kubernetes, name: str, role: Role) -> None:
        host = next((host for host in self._intent.hosts if host.hostname.lower() == name), None)
        path = f"{NODES}/{name}"
        if patch := node_marks.patch(role, host, await api.get(path, node_marks.TaintedNode)):
            await api.merge(path, patch)

    def _say(self, words: str) -> None:
        """Once, however often it is looked at."""
        if words != self._said:
            log.info("%s", words)
            self._said = words
