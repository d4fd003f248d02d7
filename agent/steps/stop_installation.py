"""Step *stop-installation*: node0 or the user has stopped the install of this host. The disk is not bootable yet, so
the install may stop anywhere; a later one recognises what was written."""

from __future__ import annotations

from agent.api.steps import Step, StepType
from agent.model.host_documents import AgentPhase
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    from agent.install.run import release_disk

    if await context.stop(StepType.INSTALL):
        await release_disk(context.machine)
        context.board.update(phase=AgentPhase.REGISTERED, detail="node0 stopped the install")
    return ""
