"""Who is calling, and may they? A token in one of three headers, judged against the route's roles."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from agent.api.problems import Problem
from agent.api.routes import Route, TokenRole
from agent.machine.clock import Clock
from node0.refusals import Forbidden, Unauthorized
from node0.trust import tokens
from node0.trust.tokens import Claims

# The first header that is present counts.
CARRIERS = ("Authorization", "X-Secret-Key", "Watcher-Authorization")


@dataclass(frozen=True)
class Gatekeeper:
    """`key_pem` signs and verifies the tokens of `cluster_id`."""

    key_pem: str
    cluster_id: str
    clock: Clock

    def admit(self, request: web.Request, route: Route[object, object]) -> Claims:
        """The caller's claims. Raises `Unauthorized` (no good token) and `Forbidden` (not with this one)."""
        try:
            claims = tokens.verify(self.key_pem, _token(request), cluster_id=self.cluster_id, now=self.clock.now())
        except Problem as problem:
            raise Unauthorized(
                code=problem.code, title=problem.title, detail=problem.detail, remedy=problem.remedy
            ) from problem
        if claims.role not in route.roles:
            raise Forbidden(
                code="role-not-allowed",
                title=f"{route.operation} is for {', '.join(sorted(route.roles))}, not for {claims.role}.",
            )
        host_id = request.match_info.get("host_id")
        if claims.role is TokenRole.HOST and host_id is not None and host_id != claims.host_id:
            raise Forbidden(code="host-not-yours", title=f"This token is host {claims.host_id}'s, not {host_id}'s.")
        return claims


def _token(request: web.Request) -> str:
    for header in CARRIERS:
        if value := request.headers.get(header):
            return value.removeprefix("Bearer ").strip()
    raise Unauthorized(
        code="token-missing",
        title="The request carries no token.",
        remedy=f"Send one in a header: {', '.join(CARRIERS)}.",
    )
