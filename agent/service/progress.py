"""Stages of an install: to node0, and to the console."""

from __future__ import annotations

import logging

from agent.api.client import Client, Refused, Unreachable
from agent.api.operations import UPDATE_PROGRESS
from agent.api.steps import Progress
from agent.machine import Machine
from agent.machine.backoff import delays
from agent.model.host_documents import AgentPhase
from agent.model.states import Stage
from agent.status import StatusBoard

log = logging.getLogger(__name__)

REPEAT_SECONDS = 60.0  # long enough for a restart of node0; no install waits longer than this for a report


class Reporter:
    """Reports stages; its `report` is the one of `agent.steps.context.Context`."""

    def __init__(self, machine: Machine, client: Client, board: StatusBoard, *, infra_env_id: str, host_id: str):
        self._clock = machine.clock
        self._client = client
        self._board = board
        self._infra_env_id = infra_env_id
        self._host_id = host_id
        self._last: Stage | None = None

    async def report(self, stage: Stage, info: str = "") -> None:
        """Report that the install has reached `stage`. While node0 is away a new stage is repeated for a minute, then
        dropped: the next stage implies it. A change of `info` alone is sent once."""
        if stage is not Stage.FAILED:  # its problem is on the board already
            phase = AgentPhase.REBOOTING if stage is Stage.REBOOTING else AgentPhase.INSTALLING
            self._board.update(phase=phase, detail=f"{stage} {info}".strip(), problems=())
        deadline = self._clock.monotonic() + (REPEAT_SECONDS if stage is not self._last else 0.0)
        self._last = stage
        for delay in delays():
            if await self._send(Progress(current_stage=stage, progress_info=info)):
                return
            if self._clock.monotonic() + delay > deadline:
                log.warning("node0 did not receive stage %r", stage)
                return
            await self._clock.sleep(delay)

    async def _send(self, progress: Progress) -> bool:
        """True when node0 has received it, even where it refuses it."""
        try:
            await self._client.call(
                UPDATE_PROGRESS, progress, timeout=10.0, infra_env_id=self._infra_env_id, host_id=self._host_id
            )
        except Unreachable:
            return False
        except Refused as problem:
            log.warning("stage %r refused: %s", progress.current_stage, problem)
        return True
