"""What a handler returned, as the answer on the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web
from multidict import CIMultiDict

from agent.api.clusters import Cluster
from agent.api.events import Event
from agent.api.hosts import Host
from agent.api.operations import EventStream, File, Nothing, Operation

# A reader that takes no more for so long is let go; until then it holds a few KiB and nobody else.
STALLED_SECONDS = 30.0

# Proxies and clients close a connection on which nothing is said.
HEARTBEAT_SECONDS = 15.0

# So many hosts are made and written between two looks at what else there is to do: some hundred KiB, some milliseconds.
AT_ONCE = 16

# A connection keeps, for as long as it is open, as much memory as was ever written to it at once (OpenSSL's memory BIOs
# never shrink), and its last answer (aiohttp).
PIECE_BYTES = 4 * 1024

_OCTETS = "application/octet-stream"


@dataclass(frozen=True)
class Download:
    """A file to give away: its `name`, and what is in it, or where it is."""

    name: str
    content: bytes | Path


@dataclass(frozen=True)
class WithHosts:
    """A cluster, and the hosts that belong into it."""

    cluster: Cluster
    hosts: Iterator[Host]


async def respond(
    request: web.Request, operation: Operation[Any, Any], reply: Any, headers: CIMultiDict[str]
) -> web.StreamResponse:
    if operation.reply is EventStream:
        return await _stream(request, reply)
    if operation.reply is File:
        return _file(reply, headers)
    headers["Content-Type"] = "application/json"
    if isinstance(reply, WithHosts):
        return await _written(request, _cluster(reply), web.StreamResponse(status=operation.status, headers=headers))
    if isinstance(reply, Iterator):
        return await _written(request, _list(reply), web.StreamResponse(status=operation.status, headers=headers))
    content = b"" if operation.reply is Nothing else msgspec.json.encode(reply)
    if len(content) <= PIECE_BYTES:
        return web.Response(status=operation.status, body=content, headers=headers)
    headers["Content-Length"] = str(len(content))
    return await _written(request, _cut(content), web.StreamResponse(status=operation.status, headers=headers))


def _file(download: Download, headers: CIMultiDict[str]) -> web.StreamResponse:
    headers["Content-Disposition"] = f'attachment; filename="{download.name}"'
    if isinstance(download.content, Path):
        headers["Content-Type"] = _OCTETS
        return web.FileResponse(download.content, headers=headers)
    return web.Response(body=download.content, content_type=_OCTETS, headers=headers)


async def _written(request: web.Request, pieces: Iterator[bytes], response: web.StreamResponse) -> web.StreamResponse:
    """`response` with the `pieces`, each made when there is room for it."""
    await response.prepare(request)
    try:
        for piece in pieces:
            async with asyncio.timeout(STALLED_SECONDS):
                await response.write(piece)
            await asyncio.sleep(0)
    except (ConnectionError, TimeoutError):
        response.force_close()  # or the next answer would be taken for the rest of this one
    return response


def _list(items: Iterator[Any]) -> Iterator[bytes]:
    """A JSON list, never whole in memory: a thousand hosts have 20 MiB, and would hold everybody up for a second."""
    yield b"["
    lead = b""
    while batch := tuple(islice(items, AT_ONCE)):
        yield lead + msgspec.json.encode(batch)[1:-1]
        lead = b","
    yield b"]"


def _cluster(reply: WithHosts) -> Iterator[bytes]:
    """A cluster as JSON. In a text the quotes would have backslashes before them."""
    before, empty, after = msgspec.json.encode(reply.cluster).partition(b'"hosts":[]')
    yield before + empty[: -len(b"[]")]
    yield from _list(reply.hosts)
    yield after


def _cut(content: bytes) -> Iterator[bytes]:
    return (content[start : start + PIECE_BYTES] for start in range(0, len(content), PIECE_BYTES))


async def _stream(request: web.Request, events: AsyncIterator[Event]) -> web.StreamResponse:
    """Server-sent events (WHATWG HTML, section 9.2) until the client goes."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await response.prepare(request)
    following = asyncio.ensure_future(anext(events))
    try:
        while True:
            await asyncio.wait({following}, timeout=HEARTBEAT_SECONDS)
            frame = b": still here\n\n"
            if following.done():
                frame = _frame(following.result())
                following = asyncio.ensure_future(anext(events))
            async with asyncio.timeout(STALLED_SECONDS):
                await response.write(frame)
    except (ConnectionError, TimeoutError):
        return response
    finally:
        following.cancel()


def _frame(event: Event) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.name.encode(), msgspec.json.encode(event))
