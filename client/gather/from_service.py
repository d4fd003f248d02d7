"""Collects from node0's service: the cluster, its hosts with their validations, all events, and the logs of hosts."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec

from agent.api import operations
from agent.api.client import Client
from agent.api.clusters import Cluster
from agent.api.events import Event
from agent.api.hosts import Host
from agent.api.timestamps import UNSET_TIME
from client.gather.unpack import unpacked
from client.remote.service import user_client, watcher_client
from client.remote.target import Target


async def collect(target: Target) -> AsyncIterator[tuple[str, bytes]]:
    """(path, content), as they arrive. Raises `Unreachable`, `Refused`, `Problem`."""
    async with watcher_client(target) as client:
        cluster = await client.call(operations.GET_CLUSTER, cluster_id=target.intent.cluster_id)
        yield "cluster.json", _document(cluster)
        for host in cluster.hosts:
            for name, text in (("inventory", host.inventory), ("validations", host.validations_info)):
                if text:
                    yield f"hosts/{host.id}/{name}.json", msgspec.json.format(text, indent=1).encode()
        infra_envs = await client.call(operations.LIST_INFRA_ENVS)
        yield "infra-envs.json", _document(infra_envs)
        events = await client.call(operations.LIST_EVENTS)
        yield "events.json", _document(events)
        yield "events.txt", "".join(map(_line, events)).encode()
    async with user_client(target) as client:  # logs are not for watchers
        for host in cluster.hosts:
            if host.logs_collected_at != UNSET_TIME:
                for path, content in unpacked(await _logs(client, cluster, host)).items():
                    yield f"logs/logs_{host.id}/{path}", content


async def _logs(client: Client, cluster: Cluster, host: Host) -> bytes:
    """What the host has sent to node0. One call a host: together they may exceed the size of an answer."""
    query = {"logs_type": "host", "host_id": host.id}
    return await client.download(operations.DOWNLOAD_LOGS, query=query, cluster_id=cluster.id)


def _document(value: object) -> bytes:
    """Indented, so that people can read it."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1)


def _line(event: Event) -> str:
    return f"{event.event_time} {event.severity} {event.message}\n"
