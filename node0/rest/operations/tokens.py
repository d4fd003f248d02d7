"""Tokens: revoke one before it expires."""

from __future__ import annotations

from agent.api import operations
from agent.api.requests import Revocation
from node0.changes.revocation import revoke
from node0.reconcile.state_manager import StateManager
from node0.refusals import BadRequest, Unauthorized
from node0.rest.server.auth import Gatekeeper
from node0.rest.server.bind import Handlers


class Tokens:
    def __init__(self, *, state_manager: StateManager, gatekeeper: Gatekeeper) -> None:
        self._state_manager = state_manager
        self._gatekeeper = gatekeeper

    def handlers(self) -> Handlers:
        return {operations.REVOKE_TOKEN: self.revoke}

    async def revoke(self, *, body: Revocation) -> None:
        """A token that is not valid is refused: the user may have meant another one."""
        try:
            claims = self._gatekeeper.identify(body.token)
        except Unauthorized as problem:
            raise BadRequest(code=problem.code, title=problem.title, remedy=problem.remedy) from problem
        await self._state_manager.apply(revoke(claims))
