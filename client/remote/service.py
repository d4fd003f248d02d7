"""Clients of node0's service, with the CA pinned and the token of the least role that a command needs."""

from __future__ import annotations

from agent.api import operations
from agent.api.client import Client, pinned_tls, service_url
from agent.api.clusters import Cluster
from client.remote.target import Target


def watcher_client(target: Target) -> Client:
    """For reading: role watcher."""
    return Client(url=service_url(target.address, target.port), tls=pinned_tls(target.ca), token=target.token)


def user_client(target: Target) -> Client:
    """For changes and logs: role user."""
    return Client(url=service_url(target.address, target.port), tls=pinned_tls(target.ca), token=target.user_token)


async def read_cluster(target: Target) -> Cluster:
    """The target's cluster with its hosts. Raises `Unreachable`, `Refused`."""
    async with watcher_client(target) as client:
        return await client.call(operations.GET_CLUSTER, cluster_id=target.intent.cluster_id)
