"""Hosts: registered, read, decided about."""

from __future__ import annotations

import msgspec

from agent.api import routes
from agent.api.resources import Host, HostRegister, HostRegistration, HostUpdate, NextStepRunner
from node0.changes.host_registration import register_host
from node0.changes.host_update import update_host
from node0.conductor import Conductor, host_of
from node0.lifecycle.steps import StepPlan
from node0.rest import wire
from node0.rest.bind import Handlers
from node0.trust.host_tokens import HostTokens
from node0.trust.tokens import Claims


class Hosts:
    def __init__(self, *, conductor: Conductor, steps: StepPlan, host_tokens: HostTokens) -> None:
        self._conductor = conductor
        self._steps = steps
        self._host_tokens = host_tokens

    def handlers(self) -> Handlers:
        return {
            routes.REGISTER_HOST: self.register,
            routes.LIST_HOSTS: self.list,
            routes.GET_HOST: self.get,
            routes.UPDATE_HOST: self.update,
        }

    async def register(self, *, infra_env_id: str, body: HostRegister, caller: Claims) -> HostRegistration:
        await self._conductor.apply(register_host(infra_env_id, body))
        self._steps.forget(body.host_id)
        host = await self.get(infra_env_id=infra_env_id, host_id=body.host_id)
        arguments = {"infra_env_id": infra_env_id, "host_id": host.id, "agent_version": body.discovery_agent_version}
        return HostRegistration(
            **msgspec.structs.asdict(host),
            next_step_runner_command=NextStepRunner(command="", args=(msgspec.json.encode(arguments).decode(),)),
            token=self._host_tokens.mint(host.id, registered_with=caller),
        )

    async def list(self, *, infra_env_id: str) -> list[Host]:
        records = self._conductor.records
        hosts = (host for host in records.hosts.values() if host.infra_env_id == infra_env_id)
        return [wire.host(host, records.cluster) for host in hosts]

    async def get(self, *, infra_env_id: str, host_id: str) -> Host:
        records = self._conductor.records
        return wire.host(host_of(records, infra_env_id, host_id), records.cluster)

    async def update(self, *, infra_env_id: str, host_id: str, body: HostUpdate) -> Host:
        await self._conductor.apply(update_host(infra_env_id, host_id, body))
        return await self.get(infra_env_id=infra_env_id, host_id=host_id)
