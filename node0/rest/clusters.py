"""Clusters: registered, read, installed, completed."""

from __future__ import annotations

from agent.api import routes
from agent.api.resources import Cluster, ClusterCreate, Completion
from node0.changes.cluster_registration import register_cluster
from node0.changes.install import complete_install, start_install
from node0.conductor import Conductor, cluster_of
from node0.rest import wire
from node0.rest.bind import Handlers
from node0.store.location import Locations


class Clusters:
    def __init__(self, *, conductor: Conductor, locations: Locations) -> None:
        self._conductor = conductor
        self._locations = locations

    def handlers(self) -> Handlers:
        return {
            routes.REGISTER_CLUSTER: self.register,
            routes.LIST_CLUSTERS: self.list,
            routes.GET_CLUSTER: self.get,
            routes.INSTALL_CLUSTER: self.install,
            routes.COMPLETE_INSTALLATION: self.complete,
            routes.MOVE_STORE: self.move_store,
        }

    async def register(self, *, body: ClusterCreate) -> Cluster:
        records = await self._conductor.apply(register_cluster(body))
        assert records.cluster is not None
        return wire.cluster(records.cluster, records, with_hosts=True)

    async def list(self, *, with_hosts: bool = False) -> list[Cluster]:
        records = self._conductor.records
        return [wire.cluster(records.cluster, records, with_hosts=with_hosts)] if records.cluster else []

    async def get(self, *, cluster_id: str, exclude_hosts: bool = False) -> Cluster:
        records = self._conductor.records
        return wire.cluster(cluster_of(records, cluster_id), records, with_hosts=not exclude_hosts)

    async def install(self, *, cluster_id: str) -> Cluster:
        await self._conductor.apply(start_install(cluster_id))
        return await self.get(cluster_id=cluster_id)

    async def complete(self, *, cluster_id: str, body: Completion) -> Cluster:
        await self._conductor.apply(complete_install(cluster_id, body))
        return await self.get(cluster_id=cluster_id)

    async def move_store(self, *, cluster_id: str) -> None:
        cluster_of(self._conductor.records, cluster_id)
        await self._conductor.move_store(self._locations.on_state_file_system())
