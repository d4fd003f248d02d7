"""The actual cluster, as the service reports it."""

from __future__ import annotations

from dataclasses import dataclass

from agent.api import operations
from agent.api.client import Client, Refused
from agent.api.clusters import Cluster
from agent.api.hosts import Host
from agent.api.infra_envs import InfraEnv
from agent.model.intent import ClusterIntent


@dataclass(frozen=True)
class Actual:
    """None: not registered yet."""

    cluster: Cluster | None
    infra_env: InfraEnv | None
    hosts: tuple[Host, ...]


class Observer:
    """Reads the actual cluster, and of its hosts those that have changed since the last: there may be a thousand."""

    def __init__(self, client: Client, intent: ClusterIntent) -> None:
        self._client = client
        self._intent = intent
        self._hosts: dict[str, Host] = {}
        self._since = 0

    async def look(self, *, seen: int) -> Actual:
        """`seen`: the id of the last event that was read before. Raises what the client raises."""
        cluster = await self._cluster()
        infra_envs = await self._client.call(operations.LIST_INFRA_ENVS)
        infra_env = next((found for found in infra_envs if found.id == self._intent.infra_env_id), None)
        self._hosts |= await self._changed(self._since)
        if cluster is None or len(self._hosts) != cluster.total_host_count:
            self._hosts = await self._changed(0)  # a host was removed
        self._since = seen
        return Actual(cluster=cluster, infra_env=infra_env, hosts=tuple(self._hosts.values()))

    async def _cluster(self) -> Cluster | None:
        query, id = {"exclude-hosts": "true"}, self._intent.cluster_id
        try:
            return await self._client.call(operations.GET_CLUSTER, query=query, cluster_id=id)
        except Refused as refusal:
            if refusal.status != 404:
                raise
            return None

    async def _changed(self, since: int) -> dict[str, Host]:
        id = self._intent.infra_env_id
        query: dict[str, str | int] = {"since": since, "with-connectivity": "false"}
        return {host.id: host for host in await self._client.call(operations.LIST_HOSTS, query=query, infra_env_id=id)}
