"""node0's service: the cluster and its hosts with their checks, every event, and the logs that hosts have sent."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec

from agent.api import routes
from agent.api.resources import Event
from image_build.gather.unpack import unpacked
from image_build.remote.service import deciding, watching
from image_build.remote.target import Target


async def collect(target: Target) -> AsyncIterator[tuple[str, bytes]]:
    """(path, content), as they come. Raises `Unreachable`, `Refused`, `Problem`."""
    async with watching(target) as client:
        cluster = await client.call(routes.GET_CLUSTER, cluster_id=target.intent.cluster_id)
        yield "cluster.json", _document(cluster)
        for host in cluster.hosts:
            for name, text in (("inventory", host.inventory), ("validations", host.validations_info)):
                if text:
                    yield f"hosts/{host.id}/{name}.json", msgspec.json.format(text, indent=1).encode()
        infra_envs = await client.call(routes.LIST_INFRA_ENVS)
        yield "infra-envs.json", _document(infra_envs)
        events = await client.call(routes.LIST_EVENTS)
        yield "events.json", _document(events)
        yield "events.txt", "".join(map(_line, events)).encode()
    for path, content in (await _uploaded_logs(target)).items():
        yield path, content


async def _uploaded_logs(target: Target) -> dict[str, bytes]:
    """What hosts have sent node0 by themselves: one archive each, inside one."""
    async with deciding(target) as client:  # logs are not for watchers
        logs = unpacked(await client.download(routes.DOWNLOAD_LOGS, cluster_id=target.intent.cluster_id))
    return {
        f"logs/{archive.removesuffix('.tar.gz')}/{path}": content
        for archive, packed in logs.items()
        for path, content in unpacked(packed).items()
    }


def _document(value: object) -> bytes:
    """Indented: lines stay short enough to be looked through."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1)


def _line(event: Event) -> str:
    return f"{event.event_time} {event.severity} {event.message}\n"
