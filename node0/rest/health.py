"""Is the service there, and can it remember what it is told? Open to everybody: balancers carry no token."""

from __future__ import annotations

from aiohttp import web

from node0.reconcile.state_manager import StateManager


def routes(state_manager: StateManager) -> tuple[web.RouteDef, ...]:
    """/health: it answers. /ready: it can also be told something; 503 while its disk is full, read-only or broken."""

    async def health(_request: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def ready(_request: web.Request) -> web.Response:
        if (trouble := state_manager.trouble) is None:
            return web.json_response({"status": "ok"})
        return web.json_response({"status": trouble.code, "reason": f"{trouble.title} {trouble.remedy}"}, status=503)

    return web.get("/health", health, allow_head=False), web.get("/ready", ready, allow_head=False)
