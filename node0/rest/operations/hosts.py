"""Hosts: register, read, update, bind, reset, deregister."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import msgspec

from agent.api import operations
from agent.api.hosts import Host, HostRegister, HostRegistration, HostUpdate, NextStepRunner
from agent.api.requests import BindHost, HostIgnition, InstallerArgs
from node0.changes.binding import bind_host, unbind_host
from node0.changes.host_registration import register_host
from node0.changes.host_update import update_host
from node0.changes.overrides import override_ignition, set_installer_args
from node0.changes.removal import remove_host
from node0.changes.reset import reset_host
from node0.instructions.steps import StepPlan
from node0.reconcile.state_manager import StateManager
from node0.rest.operations.events import Id
from node0.rest.server.bind import Handlers
from node0.rest.views.hosts import host_view
from node0.store.records import HostRecord
from node0.trust.host_tokens import HostTokens
from node0.trust.tokens import Claims


class Hosts:
    def __init__(self, *, state_manager: StateManager, steps: StepPlan, host_tokens: HostTokens) -> None:
        self._state_manager = state_manager
        self._steps = steps
        self._host_tokens = host_tokens

    def handlers(self) -> Handlers:
        return {
            operations.REGISTER_HOST: self.register,
            operations.LIST_HOSTS: self.list,
            operations.GET_HOST: self.get,
            operations.UPDATE_HOST: self.update,
            operations.DEREGISTER_HOST: self.deregister,
            operations.BIND_HOST: self.bind,
            operations.UNBIND_HOST: self.unbind,
            operations.RESET_HOST: self.reset,
            operations.UPDATE_INSTALLER_ARGS: self.update_installer_args,
            operations.GET_IGNITION: self.ignition,
            operations.UPDATE_IGNITION: self.update_ignition,
        }

    async def register(self, *, infra_env_id: str, body: HostRegister, caller: Claims) -> HostRegistration:
        records = await self._state_manager.apply(register_host(infra_env_id, body, token_id=uuid.uuid4().hex))
        record = records.get_host(infra_env_id, body.host_id)
        self._steps.forget_requests(record.id)
        arguments = {"infra_env_id": infra_env_id, "host_id": record.id, "agent_version": body.discovery_agent_version}
        return HostRegistration(
            **msgspec.structs.asdict(self._shown(record)),
            next_step_runner_command=NextStepRunner(command="", args=(msgspec.json.encode(arguments).decode(),)),
            token=self._host_tokens.mint(record.id, registered_with=caller, jti=record.token_id),
        )

    async def list(self, *, infra_env_id: str, since: Id = 0, with_connectivity: bool = True) -> Iterator[Host]:
        hosts = self._state_manager.changed_since(since)
        return (
            self._shown(host, with_connectivity=with_connectivity)
            for host in hosts
            if host.infra_env_id == infra_env_id
        )

    async def get(self, *, infra_env_id: str, host_id: str) -> Host:
        return self._shown(self._state_manager.records.get_host(infra_env_id, host_id))

    def _shown(self, record: HostRecord, *, with_connectivity: bool = True) -> Host:
        return host_view(
            record,
            self._state_manager.records.cluster,
            checked_in_at=self._state_manager.timers.last_check_in(record.id),
            with_connectivity=with_connectivity,
        )

    async def update(self, *, infra_env_id: str, host_id: str, body: HostUpdate) -> Host:
        await self._state_manager.apply(update_host(infra_env_id, host_id, body))
        return await self.get(infra_env_id=infra_env_id, host_id=host_id)

    async def deregister(self, *, infra_env_id: str, host_id: str) -> None:
        await self._state_manager.apply(remove_host(infra_env_id, host_id))
        self._steps.forget_requests(host_id)

    async def bind(self, *, infra_env_id: str, host_id: str, body: BindHost) -> Host:
        await self._state_manager.apply(bind_host(infra_env_id, host_id, body.cluster_id))
        return await self.get(infra_env_id=infra_env_id, host_id=host_id)

    async def unbind(self, *, infra_env_id: str, host_id: str) -> Host:
        await self._state_manager.apply(unbind_host(infra_env_id, host_id))
        return await self.get(infra_env_id=infra_env_id, host_id=host_id)

    async def reset(self, *, infra_env_id: str, host_id: str) -> Host:
        await self._state_manager.apply(reset_host(infra_env_id, host_id))
        self._steps.forget(host_id)
        return await self.get(infra_env_id=infra_env_id, host_id=host_id)

    async def update_installer_args(self, *, infra_env_id: str, host_id: str, body: InstallerArgs) -> Host:
        await self._state_manager.apply(set_installer_args(infra_env_id, host_id, body))
        return await self.get(infra_env_id=infra_env_id, host_id=host_id)

    async def ignition(self, *, infra_env_id: str, host_id: str) -> HostIgnition:
        return HostIgnition(config=self._state_manager.records.get_host(infra_env_id, host_id).ignition_override)

    async def update_ignition(self, *, infra_env_id: str, host_id: str, body: HostIgnition) -> Host:
        await self._state_manager.apply(override_ignition(infra_env_id, host_id, body))
        return await self.get(infra_env_id=infra_env_id, host_id=host_id)
