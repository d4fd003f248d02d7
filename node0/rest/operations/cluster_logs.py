"""Logs: hosts and the controller upload them, the user downloads them."""

from __future__ import annotations

from typing import Literal

from agent.api import operations
from agent.api.operations import TokenRole
from node0.changes.logs_progress import controller_logs_uploaded, host_logs_uploaded
from node0.reconcile.state_manager import StateManager
from node0.refusals import Forbidden, NotFound
from node0.rest.server.answers import Download
from node0.rest.server.bind import Handlers
from node0.rest.server.bodies import Upfile
from node0.store.logs import CONTROLLER, Logs
from node0.trust.tokens import Claims


class ClusterLogs:
    def __init__(self, *, state_manager: StateManager, logs: Logs) -> None:
        self._state_manager = state_manager
        self._logs = logs

    def handlers(self) -> Handlers:
        return {operations.UPLOAD_LOGS: self.upload, operations.DOWNLOAD_LOGS: self.download}

    async def upload(
        self,
        *,
        cluster_id: str,
        body: Upfile,
        caller: Claims,
        logs_type: Literal["host", "controller"],
        infra_env_id: str = "",
        host_id: str = "",
    ) -> None:
        records = self._state_manager.records
        records.get_cluster(cluster_id)
        if logs_type == "controller":
            if caller.role is TokenRole.HOST:
                raise Forbidden(code="logs-not-yours", title="A host uploads its own logs, with logs_type=host.")
            await self._logs.save(CONTROLLER, body.chunks())
            await self._state_manager.apply(controller_logs_uploaded(cluster_id))
            return
        host = records.get_host(infra_env_id, host_id)
        if caller.role is TokenRole.HOST and host.id != caller.host_id:
            raise Forbidden(code="host-not-yours", title=f"This token is host {caller.host_id}'s, not {host.id}'s.")
        await self._logs.save(host.id, body.chunks())
        await self._state_manager.apply(host_logs_uploaded(cluster_id, infra_env_id, host_id))

    async def download(
        self, *, cluster_id: str, logs_type: Literal["host", "controller", "all", ""] = "", host_id: str = ""
    ) -> Download:
        records = self._state_manager.records
        cluster = records.get_cluster(cluster_id)
        match logs_type:
            case "controller":
                return Download(f"{cluster.spec.name}_controller_logs.tar.gz", self._logs.find(CONTROLLER))
            case "host":
                if host_id not in records.hosts:
                    raise NotFound(code="host-unknown", title=f"There is no host {host_id[:100]!r}.")
                return Download(f"{records.hosts[host_id].label}.tar.gz", self._logs.find(host_id))
            case _:
                return Download(f"{cluster.spec.name}_logs.tar", await self._logs.all())
