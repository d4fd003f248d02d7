"""What there is, as the service tells it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from agent.api import routes
from agent.api.client import Client, Refused
from agent.api.intent import ClusterIntent
from agent.api.inventory import Inventory
from agent.api.resources import Cluster, Host, InfraEnv


@dataclass(frozen=True)
class Actual:
    """None: not registered yet."""

    cluster: Cluster | None
    infra_env: InfraEnv | None
    hosts: tuple[Host, ...]


async def observe(client: Client, intent: ClusterIntent) -> Actual:
    """One look. Raises what the client raises, but for what is not there yet."""
    try:
        cluster = await client.call(routes.GET_CLUSTER, query={"exclude-hosts": "true"}, cluster_id=intent.cluster_id)
    except Refused as refusal:
        if refusal.status != 404:
            raise
        cluster = None
    infra_envs = await client.call(routes.LIST_INFRA_ENVS)
    infra_env = next((found for found in infra_envs if found.id == intent.infra_env_id), None)
    hosts = await client.call(routes.LIST_HOSTS, infra_env_id=intent.infra_env_id)
    return Actual(cluster=cluster, infra_env=infra_env, hosts=tuple(hosts))


def inventory_of(host: Host) -> Inventory | None:
    """None until the host has sent one."""
    return msgspec.json.decode(host.inventory, type=Inventory) if host.inventory else None
