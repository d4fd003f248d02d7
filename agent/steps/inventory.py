"""Step *inventory*: what this host is made of."""

from __future__ import annotations

import asyncio

import msgspec

from agent.api.steps import Step
from agent.inventory.collect import collect
from agent.steps.context import Context


async def run(context: Context, step: Step) -> str:
    """The argument is the host's id, which this host knows itself."""
    found = await asyncio.to_thread(collect, context.machine)
    return msgspec.json.encode(found).decode()
