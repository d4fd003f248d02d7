"""What a host reports and requests while it installs: its stage, the progress of its logs, its join credential."""

from __future__ import annotations

import msgspec

from agent.api import operations
from agent.api.join import JoinCredential
from agent.api.requests import LogsProgress
from agent.api.steps import Progress
from node0.changes import joining
from node0.changes.logs_progress import report_logs
from node0.changes.stage_report import report_stage
from node0.join.credential_issuer import JoinCredentialIssuer
from node0.reconcile.state_manager import StateManager
from node0.rest.server.bind import Handlers
from node0.trust.scrub import Scrubber


class InstallingHosts:
    def __init__(self, *, state_manager: StateManager, issuer: JoinCredentialIssuer, scrubber: Scrubber) -> None:
        self._state_manager = state_manager
        self._issuer = issuer
        self._scrubber = scrubber

    def handlers(self) -> Handlers:
        return {
            operations.UPDATE_PROGRESS: self.update,
            operations.UPDATE_LOGS_PROGRESS: self.update_logs,
            operations.MINT_JOIN_CREDENTIAL: self.issue_join_credential,
            operations.ENTER_ETCD: self.enter_etcd,
            operations.REPORT_ETCD_VOTE: self.report_etcd_vote,
        }

    async def update(self, *, infra_env_id: str, host_id: str, body: Progress) -> None:
        self._state_manager.timers.checked_in(host_id)
        clean = msgspec.structs.replace(body, progress_info=self._scrubber.text(body.progress_info))
        await self._state_manager.apply(report_stage(infra_env_id, host_id, clean))

    async def update_logs(self, *, infra_env_id: str, host_id: str, body: LogsProgress) -> None:
        self._state_manager.timers.checked_in(host_id)
        await self._state_manager.apply(report_logs(infra_env_id, host_id, body.logs_state))

    async def issue_join_credential(self, *, infra_env_id: str, host_id: str) -> JoinCredential:
        return await self._issuer.issue(infra_env_id, host_id)

    async def enter_etcd(self, *, infra_env_id: str, host_id: str) -> None:
        await self._state_manager.apply(joining.enter_etcd(infra_env_id, host_id))

    async def report_etcd_vote(self, *, infra_env_id: str, host_id: str) -> None:
        await self._state_manager.apply(joining.record_vote(infra_env_id, host_id))
