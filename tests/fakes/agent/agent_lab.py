"""One resident agent on one machine, and the service that it looks for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from agent.machine import Address, Machine
from agent.model.host_documents import AgentPhase, AgentStatus
from agent.model.host_paths import STATUS_FILE
from agent.service.run_agent import run_agent
from tests.fakes.agent.machine import Programs, ScriptedKernel, ScriptedNetlink
from tests.fakes.agent.scripted_service import ScriptedService

ANSWER_SECONDS = 20


@dataclass
class Lab:
    """One agent on one machine, and the service it looks for; both are started by the test."""

    machine: Machine
    node0: ScriptedService
    tasks: asyncio.TaskGroup
    programs: Programs

    def start_agent(self) -> None:
        self._agent = self.tasks.create_task(run_agent(self.machine, port=self.node0.port), name="agent")

    @property
    def status(self) -> AgentStatus:
        return self.machine.files.load(STATUS_FILE, AgentStatus) or AgentStatus(phase=AgentPhase.UNCONFIGURED)

    async def until(self, condition: Callable[[], bool]) -> None:
        """For what shows in files that several writers replace."""
        async with asyncio.timeout(ANSWER_SECONDS):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    def set_address(self, *addresses: str) -> None:
        """The host has these addresses, and no others, from now on."""
        assert isinstance(self.machine.kernel, ScriptedKernel)
        assert isinstance(self.machine.netlink, ScriptedNetlink)
        self.machine.kernel.addresses = set(addresses)
        self.machine.netlink.set_addresses(*(Address("eth0", f"{address}/8") for address in addresses))


@contextlib.asynccontextmanager
async def cancelled_at_the_end() -> AsyncIterator[asyncio.TaskGroup]:
    class End(Exception):
        pass

    try:
        async with asyncio.TaskGroup() as tasks:
            yield tasks
            raise End
    except* End:
        pass
