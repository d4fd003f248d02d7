"""Step *install*: run the install, and report a failure to node0 and on the console."""

from __future__ import annotations

import msgspec

from agent.api.steps import InstallRequest, Step
from agent.model.problems import Problem
from agent.model.states import Stage
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    """Ends with the host rebooting, or with the Problem that the install raised."""
    from agent.install.run import install

    request = msgspec.json.decode(step.args[0], type=InstallRequest)
    try:
        await install(machine=context.machine, intent=context.intent, request=request, report=context.report)
    except Problem as problem:
        context.board.failed(problem)
        await context.report(Stage.FAILED, str(problem))
        raise
    return ""
