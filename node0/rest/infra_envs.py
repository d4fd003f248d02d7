"""Infra-envs: what hosts register with."""

from __future__ import annotations

from agent.api import routes
from agent.api.resources import InfraEnv, InfraEnvCreate
from node0.changes.cluster_registration import register_infra_env
from node0.conductor import Conductor
from node0.refusals import NotFound
from node0.rest import wire
from node0.rest.bind import Handlers


class InfraEnvs:
    def __init__(self, *, conductor: Conductor) -> None:
        self._conductor = conductor

    def handlers(self) -> Handlers:
        return {
            routes.REGISTER_INFRA_ENV: self.register,
            routes.LIST_INFRA_ENVS: self.list,
            routes.GET_INFRA_ENV: self.get,
        }

    async def register(self, *, body: InfraEnvCreate) -> InfraEnv:
        records = await self._conductor.apply(register_infra_env(body))
        assert records.infra_env is not None
        return wire.infra_env(records.infra_env)

    async def list(self, *, cluster_id: str = "") -> list[InfraEnv]:
        known = self._conductor.records.infra_env
        return [wire.infra_env(known)] if known and cluster_id in {"", known.asked.cluster_id} else []

    async def get(self, *, infra_env_id: str) -> InfraEnv:
        known = self._conductor.records.infra_env
        if known is None or known.id != infra_env_id:
            raise NotFound(code="infra-env-unknown", title=f"There is no infra-env {infra_env_id}.")
        return wire.infra_env(known)
