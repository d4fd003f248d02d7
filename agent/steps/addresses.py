"""Steps *free-network-addresses* and *verify-vips*: which addresses are free."""

from __future__ import annotations

import msgspec

from agent.api.checks import VipCheck
from agent.api.steps import Step
from agent.checks.free_addresses import free_addresses, verify_vips
from agent.steps.context import Context


async def run_sweep(context: Context, step: Step) -> str:
    networks = msgspec.json.decode(step.args[0], type=list[str])
    return msgspec.json.encode(await free_addresses(context.machine, networks)).decode()


async def run_vips(context: Context, step: Step) -> str:
    vips = msgspec.json.decode(step.args[0], type=list[VipCheck])
    return msgspec.json.encode(await verify_vips(context.machine, vips)).decode()
