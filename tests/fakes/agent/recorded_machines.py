"""A host that answers as a recorded machine did."""

from __future__ import annotations

from agent.api.steps import Step
from agent.record.machine import MachineRecord
from replay.answers import recorded_answer
from replay.programs import Service
from tests.fakes.agent.agent import Agent


class ReplayedAgent(Agent):
    def __init__(self, service: Service, record: MachineRecord) -> None:
        super().__init__(service, record.inventory)
        self.id = record.host_id
        self.record = record

    async def answer(self, step: Step) -> None:
        await self.reply(step, recorded_answer(step, self.record))
