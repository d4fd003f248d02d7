"""node0's service: the cluster and its hosts with their checks, every event, and the logs that hosts have sent."""

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
from client.remote.service import deciding, watching
from client.remote.target import Target


async def collect(target: Target) -> AsyncIterator[tuple[str, bytes]]:
    """(path, content), as they come. Raises `Unreachable`, `Refused`, `Problem`."""
    async with watching(target) as client:
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
    async with deciding(target) as client:  # logs are not for watchers
        for host in cluster.hosts:
            if host.logs_collected_at != UNSET_TIME:
                for path, content in unpacked(await _logs(client, cluster, host)).items():
                    yield f"logs/logs_{host.id}/{path}", content


async def _logs(client: Client, cluster: Cluster, host: Host) -> bytes:
    """What the host has sent node0 by itself. Host by host: all together may be more than an answer may have."""
    query = {"logs_type": "host", "host_id": host.id}
    return await client.download(operations.DOWNLOAD_LOGS, query=query, cluster_id=cluster.id)


def _document(value: object) -> bytes:
    """Indented: lines stay short enough to be looked through."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1)


def _line(event: Event) -> str:
    return f"{event.event_time} {event.severity} {event.message}\n"
