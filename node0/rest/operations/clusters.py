"""Clusters: register, read, update, install, complete, deregister."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec

from agent.api import operations
from agent.api.clusters import Cluster, ClusterCreate, Completion
from agent.api.hosts import Host
from agent.api.requests import ClusterUpdate, IgnoredValidations
from agent.model.intent import ClusterIntent, Role
from node0.changes.cluster_registration import register_cluster
from node0.changes.cluster_update import update_cluster
from node0.changes.ignored_validations import as_json, ignore_validations
from node0.changes.install import complete_install, start_install
from node0.changes.removal import remove_cluster
from node0.changes.reset import cancel_install, reset_install
from node0.instructions.steps import StepPlan
from node0.reconcile.state_manager import StateManager
from node0.rest.server.answers import WithHosts
from node0.rest.server.bind import Handlers
from node0.rest.views.clusters import cluster_view
from node0.rest.views.hosts import host_view
from node0.store.location import LOGS, Locations
from node0.store.logs import Logs
from node0.store.records import ClusterRecord
from node0.trust.scrub import Scrubber


class Clusters:
    def __init__(
        self,
        *,
        state_manager: StateManager,
        steps: StepPlan,
        locations: Locations,
        logs: Logs,
        intent: ClusterIntent,
        scrubber: Scrubber,
    ) -> None:
        self._state_manager = state_manager
        self._steps = steps
        self._scrubber = scrubber
        self._locations = locations
        self._logs = logs
        self._intent = intent

    def handlers(self) -> Handlers:
        return {
            operations.REGISTER_CLUSTER: self.register,
            operations.LIST_CLUSTERS: self.list,
            operations.GET_CLUSTER: self.get,
            operations.UPDATE_CLUSTER: self.update,
            operations.DEREGISTER_CLUSTER: self.deregister,
            operations.LIST_CLUSTER_HOSTS: self.list_hosts,
            operations.INSTALL_CLUSTER: self.install,
            operations.CANCEL_INSTALLATION: self.cancel,
            operations.RESET_CLUSTER: self.reset,
            operations.COMPLETE_INSTALLATION: self.complete,
            operations.MOVE_STORE: self.move_store,
            operations.GET_IGNORED_VALIDATIONS: self.ignored_validations,
            operations.SET_IGNORED_VALIDATIONS: self.ignore_validations,
        }

    async def register(self, *, body: ClusterCreate) -> WithHosts:
        records = await self._state_manager.apply(register_cluster(body, cluster_id=self._intent.cluster_id))
        assert records.cluster is not None
        return self._shown(records.cluster)

    async def list_hosts(
        self,
        *,
        cluster_id: str,
        role: Role | None = None,
        status: str = "",
        with_inventory: bool = False,
        with_connectivity: bool = False,
    ) -> Iterator[Host]:
        """`with_inventory` changes nothing: upstream's agents and tools expect the inventory with every host."""
        records = self._state_manager.records
        cluster = records.get_cluster(cluster_id)
        return (
            host_view(host, cluster, checked_in_at=self._last_check_in(host.id), with_connectivity=with_connectivity)
            for host in records.hosts.values()
            if host.bound and status in {"", host.status} and role in {None, host.effective_role}
        )

    async def list(self, *, with_hosts: bool = False) -> list[Cluster]:
        cluster = self._state_manager.records.cluster
        if cluster is None:
            return []
        found = self._shown(cluster, with_hosts=with_hosts)
        return [msgspec.structs.replace(found.cluster, hosts=tuple(found.hosts))]

    async def get(self, *, cluster_id: str, exclude_hosts: bool = False) -> WithHosts:
        return self._shown(self._state_manager.records.get_cluster(cluster_id), with_hosts=not exclude_hosts)

    def _shown(self, cluster: ClusterRecord, *, with_hosts: bool = True) -> WithHosts:
        """While the database cannot be written, `status_info` says so: every client shows that field."""
        records = self._state_manager.records
        hosts = records.hosts.values() if with_hosts else ()
        seen, problem = cluster_view(cluster, records), self._state_manager.store_problem
        if problem is not None:
            words = f"{problem.title} {problem.remedy} {seen.status_info}"
            seen = msgspec.structs.replace(seen, status_info=words)
        shown = (host_view(host, cluster, checked_in_at=self._last_check_in(host.id)) for host in hosts)
        return WithHosts(cluster=seen, hosts=shown)

    def _last_check_in(self, host_id: str) -> datetime | None:
        return self._state_manager.timers.last_check_in(host_id)

    async def update(self, *, cluster_id: str, body: ClusterUpdate) -> WithHosts:
        await self._state_manager.apply(update_cluster(cluster_id, body))
        return await self.get(cluster_id=cluster_id)

    async def deregister(self, *, cluster_id: str) -> None:
        await self._state_manager.apply(remove_cluster(cluster_id))

    async def install(self, *, cluster_id: str, without: str = "") -> WithHosts:
        """`without`: names of hosts that the install does not wait for, joined by commas; an event records them."""
        names = tuple(name for name in without.split(",") if name)
        await self._state_manager.apply(start_install(cluster_id, names))
        return await self.get(cluster_id=cluster_id)

    async def cancel(self, *, cluster_id: str) -> WithHosts:
        await self._state_manager.apply(cancel_install(cluster_id))
        return await self.get(cluster_id=cluster_id)

    async def reset(self, *, cluster_id: str) -> WithHosts:
        records = await self._state_manager.apply(reset_install(cluster_id))
        for host_id in records.hosts:
            self._steps.forget(host_id)
        return await self.get(cluster_id=cluster_id)

    async def complete(self, *, cluster_id: str, body: Completion) -> WithHosts:
        clean = msgspec.structs.replace(body, error_info=self._scrubber.text(body.error_info))
        await self._state_manager.apply(complete_install(cluster_id, clean))
        return await self.get(cluster_id=cluster_id)

    async def move_store(self, *, cluster_id: str) -> None:
        self._state_manager.records.get_cluster(cluster_id)
        target = self._locations.on_state_file_system()
        async with self._logs.moving(target.with_name(LOGS)):
            await self._state_manager.move_store(target)

    async def ignored_validations(self, *, cluster_id: str) -> IgnoredValidations:
        cluster = self._state_manager.records.get_cluster(cluster_id)
        return IgnoredValidations(
            host_validation_ids=as_json(cluster.ignored_host_validations),
            cluster_validation_ids=as_json(cluster.ignored_cluster_validations),
        )

    async def ignore_validations(self, *, cluster_id: str, body: IgnoredValidations) -> IgnoredValidations:
        await self._state_manager.apply(ignore_validations(cluster_id, body))
        return await self.ignored_validations(cluster_id=cluster_id)
