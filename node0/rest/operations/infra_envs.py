"""Infra-envs: hosts register with one."""

from __future__ import annotations

import msgspec

from agent.api import operations
from agent.api.infra_envs import InfraEnv, InfraEnvCreate
from agent.api.requests import InfraEnvUpdate
from agent.model.intent import ClusterIntent
from node0.changes.cluster_registration import register_infra_env
from node0.changes.infra_env_update import update_infra_env
from node0.changes.removal import remove_infra_env
from node0.reconcile.state_manager import StateManager
from node0.rest.server.bind import Handlers
from node0.rest.views.clusters import infra_env_view


class InfraEnvs:
    def __init__(self, *, state_manager: StateManager, intent: ClusterIntent) -> None:
        self._state_manager = state_manager
        self._intent = intent

    def handlers(self) -> Handlers:
        return {
            operations.REGISTER_INFRA_ENV: self.register,
            operations.LIST_INFRA_ENVS: self.list,
            operations.GET_INFRA_ENV: self.get,
            operations.UPDATE_INFRA_ENV: self.update,
            operations.DEREGISTER_INFRA_ENV: self.deregister,
        }

    async def register(self, *, body: InfraEnvCreate) -> InfraEnv:
        """A client that gives no id and no rendezvous address means the ones that the ISO was made for."""
        spec = msgspec.structs.replace(body, rendezvous_ip=body.rendezvous_ip or self._intent.rendezvous_ip)
        records = await self._state_manager.apply(register_infra_env(spec, infra_env_id=self._intent.infra_env_id))
        assert records.infra_env is not None
        return infra_env_view(records.infra_env)

    async def list(self, *, cluster_id: str = "") -> list[InfraEnv]:
        known = self._state_manager.records.infra_env
        return [infra_env_view(known)] if known and cluster_id in {"", known.spec.cluster_id} else []

    async def get(self, *, infra_env_id: str) -> InfraEnv:
        return infra_env_view(self._state_manager.records.get_infra_env(infra_env_id))

    async def update(self, *, infra_env_id: str, body: InfraEnvUpdate) -> InfraEnv:
        await self._state_manager.apply(update_infra_env(infra_env_id, body))
        return await self.get(infra_env_id=infra_env_id)

    async def deregister(self, *, infra_env_id: str) -> None:
        await self._state_manager.apply(remove_infra_env(infra_env_id))
