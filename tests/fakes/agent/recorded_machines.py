"""Recorded machines (`cluster0-agent --record`), and hosts that answer as they did."""

from __future__ import annotations

from agent.api.checks import ImagesReply
from agent.api.steps import NtpReply, Step, StepType
from agent.record.machine import MachineRecord, load
from tests.fakes.agent.agent import Agent
from tests.fakes.node0.programs import Service
from tests.paths import DATA

DIRECTORY = DATA / "machines"


def machines() -> dict[str, MachineRecord]:
    """Every recorded machine, by the name of its file."""
    return {path.stem: load(path) for path in sorted(DIRECTORY.glob("*.json"))}


class ReplayedAgent(Agent):
    """Answers as the machine did; what no record can know of (peers, VIPs, names) as a host with which all is well."""

    def __init__(self, service: Service, record: MachineRecord) -> None:
        super().__init__(service, record.inventory)
        self.id = record.host_id
        self.record = record

    async def answer(self, step: Step) -> None:
        match step.step_type:
            case StepType.NTP_SYNCHRONIZER:
                await self.reply(step, NtpReply(ntp_sources=self.record.ntp_sources))
            case StepType.CONTAINER_IMAGE_AVAILABILITY:
                await self.reply(step, ImagesReply(images=self.record.images))
            case _:
                await super().answer(step)
