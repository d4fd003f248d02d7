"""The live agent's loop: register with node0, poll for instructions, run them as steps, answer; until the host reboots.

No failure of node0 ends it. After a lost connection it polls again; when node0 does not know the host any more, it
registers again.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from agent.api.client import Client, Refused, Unreachable
from agent.api.hosts import HostRegistration
from agent.api.operations import GET_INSTRUCTIONS, POST_STEP_REPLY
from agent.api.steps import StepReply, Steps
from agent.logs import upload
from agent.machine import Machine
from agent.machine.backoff import delays
from agent.model.host_documents import AgentPhase
from agent.model.host_paths import AGENT_TOKEN_FILE
from agent.model.intent import ClusterIntent
from agent.service.progress import Reporter
from agent.service.registration import register
from agent.status import StatusBoard
from agent.steps.context import Context
from agent.steps.runner import Runner
from agent.steps.table import TABLE

log = logging.getLogger(__name__)

POLL_SECONDS = 60
POLL_GRACE_SECONDS = 15.0
# A step that ends within this time is answered on the connection that brought it, before the next poll holds it. A
# thousand hosts have to fit into node0's memory, and a connection takes more of it than the record of a host.
ANSWER_FIRST_SECONDS = 5.0
FORGOTTEN = frozenset({401, 404})  # node0 does not know this host, or its token, any more


async def run(machine: Machine, intent: ClusterIntent, board: StatusBoard, client: Client) -> None:
    """Never returns; steps that are running go on while node0 is away."""
    agent_token = machine.files.read(AGENT_TOKEN_FILE).strip()
    async with asyncio.TaskGroup() as tasks:
        runner = Runner(tasks, TABLE)
        while True:
            host = await register(machine, intent, board, client, agent_token)
            reporter = Reporter(machine, client, board, infra_env_id=intent.infra_env_id, host_id=host.id)
            instructions = Instructions(machine, client, host, intent.cluster_id)
            context = Context(
                machine=machine,
                intent=intent,
                board=board,
                report=reporter.report,
                stop=runner.stop,
                upload_logs=instructions.upload_logs,
            )
            await _run_instructions(instructions, runner, context)
            await machine.clock.sleep(1)


class Instructions:
    """The calls for instructions and answers, for one registered host."""

    def __init__(self, machine: Machine, client: Client, host: HostRegistration, cluster_id: str) -> None:
        self._machine = machine
        self._cluster_id = cluster_id
        self._client = client
        self._host = host
        self._answering = asyncio.Lock()

    async def poll(self, *, lost: bool = False) -> Steps:
        """Held open by node0 until there is something to do. `timestamp` lets it compare our clock with its own.

        lost: the answer before may have been sent, and did not arrive.
        """
        query: dict[str, str | int] = {"wait": POLL_SECONDS, "timestamp": int(self._machine.clock.now().timestamp())}
        if lost:
            query["lost"] = "true"
        return await self._client.call(
            GET_INSTRUCTIONS,
            query=query,
            timeout=POLL_SECONDS + POLL_GRACE_SECONDS,
            infra_env_id=self._host.infra_env_id,
            host_id=self._host.id,
        )

    async def upload_logs(self, archive: Path) -> None:
        host = self._host
        await upload(
            self._client, archive, cluster_id=self._cluster_id, infra_env_id=host.infra_env_id, host_id=host.id
        )

    async def answer(self, reply: StepReply) -> None:
        """Repeated while node0 is away. A refused answer is dropped: node0 sends the step again if it needs it."""
        for delay in delays():
            try:
                async with self._answering:  # one connection is enough
                    await self._client.call(
                        POST_STEP_REPLY, reply, infra_env_id=self._host.infra_env_id, host_id=self._host.id
                    )
                return
            except Unreachable:
                await self._machine.clock.sleep(delay)
            except Refused as problem:
                log.warning("reply to %s refused: %s", reply.step_id, problem)
                return


async def _run_instructions(instructions: Instructions, runner: Runner, context: Context) -> None:
    """Poll and start steps until this host has to register again."""
    pauses = delays()
    lost = False
    while True:
        try:
            steps = await instructions.poll(lost=lost)
        except (Refused, Unreachable) as problem:
            context.board.update_unless_busy(AgentPhase.WAITING_FOR_NODE0, problem.title)
            if isinstance(problem, Refused) and problem.status in FORGOTTEN:
                return
            lost = lost or isinstance(problem, Unreachable)
            await context.machine.clock.sleep(next(pauses))
            continue
        pauses, lost = delays(), False
        context.board.update_unless_busy(AgentPhase.REGISTERED, "waiting for instructions")
        for step in steps.instructions:
            runner.start(step, context, instructions.answer)
        if steps.post_step_action == "exit":
            return
        if steps.instructions:
            await runner.wait(ANSWER_FIRST_SECONDS)
        await context.machine.clock.sleep(steps.next_instruction_seconds)
