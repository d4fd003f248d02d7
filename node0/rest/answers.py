"""What a handler returned, as the answer on the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
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
    content = b"" if route.reply is Nothing else msgspec.json.encode(reply)
    return web.Response(status=route.status, body=content, content_type="application/json", headers=headers)


def _file(download: Download, headers: CIMultiDict[str]) -> web.StreamResponse:
    headers["Content-Disposition"] = f'attachment; filename="{download.name}"'
    if isinstance(download.content, Path):
        headers["Content-Type"] = _OCTETS
        return web.FileResponse(download.content, headers=headers)
    return web.Response(body=download.content, content_type=_OCTETS, headers=headers)


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
