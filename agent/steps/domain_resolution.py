"""Step *domain-resolution*: what the cluster's names resolve to on this host."""

from __future__ import annotations

import msgspec

from agent.api.checks import DomainReply, DomainRequest
from agent.api.steps import Step
from agent.checks.domains import resolve
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    request = msgspec.json.decode(step.args[0], type=DomainRequest)
    return msgspec.json.encode(DomainReply(resolutions=await resolve(context.machine, request.domains))).decode()
