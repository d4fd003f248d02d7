"""Every request has an id: the client's own, or a new one. The answer names it, and so do the events it causes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Awaitable, Callable

from aiohttp import web

from node0.cause import REQUEST_ID

HEADER = "X-Request-ID"

# What is taken from a client: it is stored with each event.
_PLAIN = re.compile(r"[0-9A-Za-z._-]{1,64}")


@web.middleware
async def identify(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    given = request.headers.get(HEADER, "")
    REQUEST_ID.set(given if _PLAIN.fullmatch(given) else str(uuid.uuid4()))
    return await handler(request)


async def name(_request: web.Request, response: web.StreamResponse) -> None:
    """Before anything of the answer is sent: streams have begun when their handler ends."""
    response.headers[HEADER] = REQUEST_ID.get()
