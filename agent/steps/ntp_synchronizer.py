"""Step *ntp-synchronizer*: which time sources this host has, and which it follows."""

from __future__ import annotations

import msgspec

from agent.api.steps import NtpReply, Step
from agent.checks.ntp import ntp_sources
from agent.steps.context import Context


class NtpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`ntp_source`: names or addresses, separated by commas; may be empty."""

    ntp_source: str


async def run(context: Context, step: Step) -> str:
    request = msgspec.json.decode(step.args[0], type=NtpRequest)
    sources = [source.strip() for source in request.ntp_source.split(",") if source.strip()]
    return msgspec.json.encode(NtpReply(ntp_sources=await ntp_sources(context.machine, sources))).decode()
