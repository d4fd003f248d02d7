"""Join credentials for installed hosts."""

from __future__ import annotations

from agent.api import operations
from agent.api.join import JoinCredential
from node0.join.credential_issuer import JoinDesk
from node0.rest.bind import Handlers


class Joining:
    def __init__(self, *, desk: JoinDesk) -> None:
        self._desk = desk

    def handlers(self) -> Handlers:
        return {operations.MINT_JOIN_CREDENTIAL: self.mint}

    async def mint(self, *, infra_env_id: str, host_id: str) -> JoinCredential:
        return await self._desk.mint(infra_env_id, host_id)
