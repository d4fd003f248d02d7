"""Step *connectivity-check*: which other hosts this host can reach, and how."""

from __future__ import annotations

import msgspec

from agent.api.checks import Peer
from agent.api.steps import Step
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    from agent.checks.connectivity import connectivity

    peers = msgspec.json.decode(step.args[0], type=list[Peer])
    return msgspec.json.encode(await connectivity(context.machine, peers)).decode()
