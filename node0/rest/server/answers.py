"""The HTTP response for what a handler returned."""

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

# A client that reads nothing for so long is disconnected. Until then it costs a few KiB and blocks no other client.
STALLED_SECONDS = 30.0

# Proxies and clients close a connection that is idle.
HEARTBEAT_SECONDS = 15.0

# Hosts that are encoded and written before the event loop runs other tasks: some hundred KiB, some milliseconds.
AT_ONCE = 16

# While a connection is open it keeps as much memory as its largest single write (OpenSSL's memory BIOs never shrink),
# and its last response (aiohttp).
PIECE_BYTES = 2 * 1024

_OCTETS = "application/octet-stream"


@dataclass(frozen=True)
class Download:
    """A file to download: its `name`, and its content or its path."""

    name: str
    content: bytes | Path


@dataclass(frozen=True)
class WithHosts:
    """A cluster and its hosts, which are encoded in batches."""

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
    """`response` with the `pieces`; each is made when the client has read enough of those before."""
    await response.prepare(request)
    try:
        for piece in pieces:
            async with asyncio.timeout(STALLED_SECONDS):
                await response.write(piece)
            await asyncio.sleep(0)
    except (ConnectionError, TimeoutError):
        response.force_close()  # or the client would take the next response for the rest of this one
    return response


def _list(items: Iterator[Any]) -> Iterator[bytes]:
    """A JSON list in batches: a thousand hosts have 20 MiB, and would block the event loop for a second."""
    yield b"["
    lead = b""
    while batch := tuple(islice(items, AT_ONCE)):
        yield lead + msgspec.json.encode(batch)[1:-1]
        lead = b","
    yield b"]"


def _cluster(reply: WithHosts) -> Iterator[bytes]:
    """A cluster as JSON. The split is unique: inside a JSON string, quotes have backslashes."""
    before, empty, after = msgspec.json.encode(reply.cluster).partition(b'"hosts":[]')
    yield before + empty[: -len(b"[]")]
    yield from _list(reply.hosts)
    yield after


def _cut(content: bytes) -> Iterator[bytes]:
    return (content[start : start + PIECE_BYTES] for start in range(0, len(content), PIECE_BYTES))


async def _stream(request: web.Request, events: AsyncIterator[Event]) -> web.StreamResponse:
    """Server-sent events (WHATWG HTML, section 9.2) until the client disconnects."""
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
