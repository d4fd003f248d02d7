"""Step *user-checks*: what the user's own executables report of this host."""

from __future__ import annotations

import msgspec

from agent.api.checks import UserChecksReply
from agent.api.steps import Step
from agent.checks.user import run_all
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    verdicts = await run_all(context.machine, context.intent)
    return msgspec.json.encode(UserChecksReply(checks=verdicts)).decode()
