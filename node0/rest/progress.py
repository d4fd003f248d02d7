"""The stage that an installing host has reached, and how far the collection of its logs is."""

from __future__ import annotations

import msgspec

from agent.api import operations
from agent.api.requests import LogsProgress
from agent.api.steps import Progress
from node0.changes.logs_progress import report_logs
from node0.changes.stage_report import report_stage
from node0.reconcile.state_manager import StateManager
from node0.rest.bind import Handlers
from node0.trust.scrub import Scrubber


class HostProgress:
    def __init__(self, *, state_manager: StateManager, scrubber: Scrubber) -> None:
        self._state_manager = state_manager
        self._scrubber = scrubber

    def handlers(self) -> Handlers:
        return {operations.UPDATE_PROGRESS: self.update, operations.UPDATE_LOGS_PROGRESS: self.update_logs}

    async def update(self, *, infra_env_id: str, host_id: str, body: Progress) -> None:
        self._state_manager.timers.checked_in(host_id)
        clean = msgspec.structs.replace(body, progress_info=self._scrubber.text(body.progress_info))
        await self._state_manager.apply(report_stage(infra_env_id, host_id, clean))

    async def update_logs(self, *, infra_env_id: str, host_id: str, body: LogsProgress) -> None:
        self._state_manager.timers.checked_in(host_id)
        await self._state_manager.apply(report_logs(infra_env_id, host_id, body.logs_state))
