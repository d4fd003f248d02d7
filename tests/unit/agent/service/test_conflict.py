"""The probes for another host with the rendezvous address."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

from agent.machine import Link
from agent.machine.process import Finished, ProcessFailed
from agent.model.host_documents import AgentPhase, AgentStatus
from agent.service.conflict import watch_conflicts
from agent.status import StatusBoard
from tests.fakes.agent.machine import ScriptedKernel, ScriptedNetlink, machine_in
from tests.fakes.inputs.intents import host, intent

SECONDS = 20


class WithoutMedium(ScriptedNetlink):
    """Reading a program fails, as from a medium that was pulled."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def links(self) -> tuple[Link, ...]:
        self.asked += 1
        raise ProcessFailed(Finished(("ip", "address", "show"), -7, "", ""), "exit code -7")


async def test_a_probe_that_fails_is_repeated(tmp_path: Path) -> None:
    site, netlink = intent(host(1)), WithoutMedium()
    machine = dataclasses.replace(machine_in(tmp_path), netlink=netlink)
    assert isinstance(machine.kernel, ScriptedKernel)
    machine.kernel.addresses = {site.rendezvous_ip}
    board = StatusBoard(machine, AgentStatus(phase=AgentPhase.REGISTERED))
    probing = asyncio.create_task(watch_conflicts(machine, site, board))
    async with asyncio.timeout(SECONDS):
        while not netlink.asked > 1:
            assert not probing.done(), "the agent ends with it"
            await asyncio.sleep(0.01)
    probing.cancel()
