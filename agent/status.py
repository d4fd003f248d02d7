"""The agent's status in `status.json`, for the consoles."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from agent.machine import Machine
from agent.model.host_documents import AgentPhase, AgentStatus
from agent.model.host_paths import STATUS_FILE
from agent.model.problems import Problem

log = logging.getLogger(__name__)

BUSY = frozenset({AgentPhase.INSTALLING, AgentPhase.REBOOTING, AgentPhase.FAILED})


class StatusBoard:
    """Holds the status and writes the file when something changed."""

    def __init__(self, machine: Machine, status: AgentStatus) -> None:
        self._files = machine.files
        self.status = status
        self._files.save(STATUS_FILE, status)

    def update(self, **changes: Any) -> None:
        """Change fields of `AgentStatus`."""
        status = msgspec.structs.replace(self.status, **changes)
        if status == self.status:
            return
        if (status.phase, status.detail) != (self.status.phase, self.status.detail):
            log.info("%s %s", status.phase, status.detail)
        self.status = status
        self._files.save(STATUS_FILE, status)

    def update_unless_busy(self, phase: AgentPhase, detail: str, problems: Sequence[Problem] = ()) -> None:
        """Change the phase, unless an install is under way or has failed: that matters more than the link to node0."""
        if self.status.phase not in BUSY:
            self.update(phase=phase, detail=detail, problems=tuple(problem.report() for problem in problems))

    def failed(self, problem: Problem) -> None:
        log.error("%s", problem)
        self.update(phase=AgentPhase.FAILED, detail=problem.title, problems=(problem.report(),))
