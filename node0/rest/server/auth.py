"""Authentication and authorization: a token in one of three headers, checked against the roles of the operation."""

from __future__ import annotations

from aiohttp import web

from agent.api.operations import TokenRole
from agent.machine.clock import Clock
from agent.model.problems import Problem
from node0.reconcile.state_manager import StateManager
from node0.refusals import Forbidden, Unauthorized
from node0.trust import tokens
from node0.trust.failures import Failures
from node0.trust.tokens import Claims

# The first header that is present is used.
CARRIERS = ("Authorization", "X-Secret-Key", "Watcher-Authorization")

KNOWN_TOKENS = 4096

EVERY_ROLE = frozenset(TokenRole)


class Gatekeeper:
    """`key_pem` signs and verifies the tokens of `cluster_id`."""

    def __init__(self, key_pem: str, *, cluster_id: str, clock: Clock, state_manager: StateManager) -> None:
        self._key_pem = key_pem
        self._cluster_id = cluster_id
        self._clock = clock
        self._state_manager = state_manager
        self._failures = Failures(clock)
        self._known: set[str] = set()

    def admit(self, request: web.Request, operation: str, roles: frozenset[TokenRole] = EVERY_ROLE) -> Claims:
        """The caller's claims. Raises `Unauthorized` (no valid token), `Forbidden` (not with this one), `TooMany`."""
        claims = self._identified(request)
        if claims.role not in roles:
            raise Forbidden(
                code="role-not-allowed",
                title=f"{operation} is for {', '.join(sorted(roles))}, not for {claims.role}.",
            )
        host_id = request.match_info.get("host_id") or request.query.get("host_id")
        if claims.role is TokenRole.HOST and host_id is not None and host_id != claims.host_id:
            raise Forbidden(code="host-not-yours", title=f"This token is host {claims.host_id}'s, not {host_id}'s.")
        return claims

    def identify(self, token: str) -> Claims:
        """The claims of a valid token. Raises `Unauthorized`."""
        try:
            claims = tokens.verify(self._key_pem, token, cluster_id=self._cluster_id, now=self._clock.now())
        except Problem as problem:
            raise Unauthorized(
                code=problem.code, title=problem.title, detail=problem.detail, remedy=problem.remedy
            ) from problem
        self._check_not_withdrawn(claims)
        return claims

    def _identified(self, request: web.Request) -> Claims:
        """An address with too many failures may still use a token that was valid before, but no new one."""
        address = request.remote or ""
        try:
            token = _token(request)
            if token not in self._known:
                self._failures.check(address)
            claims = self.identify(token)
        except Unauthorized:
            self._failures.count(address)
            raise
        self._remember(token)
        return claims

    def _remember(self, token: str) -> None:
        if len(self._known) >= KNOWN_TOKENS:
            self._known.clear()
        self._known.add(token)

    def _check_not_withdrawn(self, claims: Claims) -> None:
        """A host's token is valid while the host is registered, and only the newest one."""
        records = self._state_manager.records
        if claims.jti in records.revoked:
            raise Unauthorized(code="token-revoked", title=f"This {claims.role} token was revoked.")
        if claims.role is not TokenRole.HOST:
            return
        host = records.hosts.get(claims.host_id)
        if host is None:
            # Not 404: after that upstream's agent never calls again. After 401 it registers again.
            raise Unauthorized(
                code="host-unknown", title=f"Host {claims.host_id} is not registered here.", remedy="Register it again."
            )
        if host.token_id not in {"", claims.jti}:
            raise Unauthorized(
                code="token-replaced",
                title=f"Host {host.label} has registered again since; only its newest token is valid.",
                remedy="Register again.",
            )


def _token(request: web.Request) -> str:
    for header in CARRIERS:
        if value := request.headers.get(header):
            return value.removeprefix("Bearer ").strip()
    raise Unauthorized(
        code="token-missing",
        title="The request carries no token.",
        remedy=f"Send one in a header: {', '.join(CARRIERS)}.",
    )
