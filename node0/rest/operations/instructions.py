"""Instructions: the next steps of a host, and its replies. With every call the host checks in."""

from __future__ import annotations

from typing import Annotated

import msgspec

from agent.api import operations
from agent.api.steps import StepReply, Steps
from agent.machine.clock import Clock
from agent.model.states import HostStatus
from node0.changes.check_in import changes_record, check_in
from node0.changes.step_reply import accept_reply
from node0.instructions.steps import StepPlan
from node0.reconcile.state_manager import StateManager
from node0.reconcile.transaction import no_change
from node0.refusals import TooLarge
from node0.rest.server.bind import Handlers
from node0.store.records import HostRecord
from node0.trust.scrub import Scrubber

# The pause of a client that does not use long polls.
PAUSE_SECONDS = 60
LONGEST_WAIT = 60

# The inventory of a machine with hundreds of disks has some hundred KiB. It is kept in memory.
MAX_OUTPUT_BYTES = 1024 * 1024

UnixTime = Annotated[int, msgspec.Meta(ge=0, le=2**40)]
Seconds = Annotated[int, msgspec.Meta(ge=0)]


class Instructions:
    def __init__(self, *, state_manager: StateManager, steps: StepPlan, clock: Clock, scrubber: Scrubber) -> None:
        self._state_manager = state_manager
        self._scrubber = scrubber
        self._steps = steps
        self._clock = clock

    def handlers(self) -> Handlers:
        return {operations.GET_INSTRUCTIONS: self.get, operations.POST_STEP_REPLY: self.reply}

    async def get(
        self, *, infra_env_id: str, host_id: str, timestamp: UnixTime = 0, wait: Seconds = 0, lost: bool = False
    ) -> Steps:
        """`timestamp`: the host's clock, Unix seconds. `wait`: how many seconds to wait for a step.

        lost: the answer before did not arrive.
        """
        request = self._steps.begin(self._host(infra_env_id, host_id).id, lost=lost)
        await self._check_in(infra_env_id, host_id, timestamp)
        deadline = self._clock.monotonic() + min(wait, LONGEST_WAIT)
        while not self._steps.due(host := self._host(infra_env_id, host_id), self._state_manager.records):
            left = deadline - self._clock.monotonic()
            if left <= 0:
                break
            due = self._steps.next_due(host, self._state_manager.records)
            await self._state_manager.host_changes(host, timeout=min(left, due))
        if not self._steps.is_newest(host_id, request):
            return Steps(instructions=(), next_instruction_seconds=PAUSE_SECONDS)
        return Steps(
            instructions=self._steps.take(host, self._state_manager.records),
            next_instruction_seconds=0 if wait else PAUSE_SECONDS,
        )

    async def reply(self, *, infra_env_id: str, host_id: str, body: StepReply) -> None:
        await self._check_in(infra_env_id, host_id)
        size = len(body.output) + len(body.error)
        if size > MAX_OUTPUT_BYTES:
            raise TooLarge(
                code="step-output-too-large",
                title=f"Step {body.step_type[:100]}: {size} bytes of output; {MAX_OUTPUT_BYTES} are accepted.",
            )
        before = self._host(infra_env_id, host_id)
        if (change := accept_reply(before, self._clean(body))) is no_change:
            return
        del body  # the change has what it needs of it, and may wait for those of a thousand hosts
        await self._state_manager.apply(change)
        if before.status is HostStatus.RESETTING and self._host(infra_env_id, host_id).status is not before.status:
            self._steps.forget(host_id)  # it starts from the first step again

    def _clean(self, reply: StepReply) -> StepReply:
        """Events quote the output of a failed step, and the output may hold a secret."""
        if reply.exit_code == 0:
            return reply
        return msgspec.structs.replace(
            reply, output=self._scrubber.text(reply.output), error=self._scrubber.text(reply.error)
        )

    async def _check_in(self, infra_env_id: str, host_id: str, timestamp: int = 0) -> None:
        host = self._host(infra_env_id, host_id)
        self._state_manager.timers.checked_in(host_id)
        if changes_record(host, timestamp, self._clock.now()):
            await self._state_manager.apply(check_in(infra_env_id, host_id, timestamp))

    def _host(self, infra_env_id: str, host_id: str) -> HostRecord:
        return self._state_manager.records.get_host(infra_env_id, host_id)
