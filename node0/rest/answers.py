"""What a handler returned, as the answer on the wire."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web
from multidict import CIMultiDict

from agent.api.resources import Event
from agent.api.routes import EventStream, File, Nothing, Route

# A reader that takes no more for so long is let go; until then it holds a few KiB and nobody else.
STALLED_SECONDS = 30.0

# Proxies and clients close a connection on which nothing is said.
HEARTBEAT_SECONDS = 15.0

# So many hosts are made and written between two looks at what else there is to do: some hundred KiB, some milliseconds.
AT_ONCE = 16

_OCTETS = "application/octet-stream"


@dataclass(frozen=True)
class Download:
    """A file to give away: its `name`, and what is in it, or where it is."""

    name: str
    content: bytes | Path


async def respond(
    request: web.Request, route: Route[Any, Any], reply: Any, headers: CIMultiDict[str]
) -> web.StreamResponse:
    if route.reply is EventStream:
        return await _stream(request, reply)
    if route.reply is File:
        return _file(reply, headers)
    if isinstance(reply, Iterator):
        return await _list(request, route, reply, headers)
    content = b"" if route.reply is Nothing else msgspec.json.encode(reply)
    return web.Response(status=route.status, body=content, content_type="application/json", headers=headers)


def _file(download: Download, headers: CIMultiDict[str]) -> web.StreamResponse:
    headers["Content-Disposition"] = f'attachment; filename="{download.name}"'
    if isinstance(download.content, Path):
        headers["Content-Type"] = _OCTETS
        return web.FileResponse(download.content, headers=headers)
    return web.Response(body=download.content, content_type=_OCTETS, headers=headers)


async def _list(
    request: web.Request, route: Route[Any, Any], items: Iterator[Any], headers: CIMultiDict[str]
) -> web.StreamResponse:
    """A JSON list, never whole in memory: a thousand hosts have 20 MiB, and would hold everybody up for a second."""
    response = web.StreamResponse(status=route.status, headers={**headers, "Content-Type": "application/json"})
    await response.prepare(request)
    lead = b"["
    with contextlib.suppress(ConnectionError, TimeoutError):
        while batch := tuple(islice(items, AT_ONCE)):
            async with asyncio.timeout(STALLED_SECONDS):
                await response.write(lead + msgspec.json.encode(batch)[1:-1])
            lead = b","
            await asyncio.sleep(0)
        await response.write(b"]" if lead == b"," else b"[]")
    return response


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
