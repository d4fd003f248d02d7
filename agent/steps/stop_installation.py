"""Step *stop-installation*: node0 gave this host up. Its disk is not bootable yet, so it may be stopped anywhere."""

from __future__ import annotations

from agent.api.steps import Step, StepType
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    context.cancel(StepType.INSTALL)
    return ""
