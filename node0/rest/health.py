"""Is the service there? Open to everybody: balancers and shell scripts carry no token."""

from __future__ import annotations

from aiohttp import web


async def answer(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


ROUTES = (web.get("/health", answer, allow_head=False), web.get("/ready", answer, allow_head=False))
