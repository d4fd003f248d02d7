"""Step *ntp-synchronizer*: give chronyd the cluster's sources, and ask which of them it follows."""

from __future__ import annotations

import csv

import msgspec

from agent.api.steps import NtpReply, NtpSource, Step
from agent.machine import Machine
from agent.steps.context import Context

# chronyc's marks, see chronyc(1) "sources".
STATES = {
    "*": "synced",
    "+": "combined",
    "-": "not_combined",
    "?": "unreachable",
    "x": "error",
    "~": "variable",
}


class NtpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`ntp_source`: names or addresses, separated by commas; may be empty."""

    ntp_source: str


async def run(context: Context, step: Step) -> str:
    request = msgspec.json.decode(step.args[0], type=NtpRequest)
    wanted = [source.strip() for source in request.ntp_source.split(",") if source.strip()]
    await _add_sources(context.machine, wanted)
    listed = await context.machine.processes.run(["chronyc", "-c", "-n", "sources"], timeout=10)
    return msgspec.json.encode(NtpReply(ntp_sources=parse(listed.stdout))).decode()


async def _add_sources(machine: Machine, wanted: list[str]) -> None:
    """chronyd answers "already present" for a source it has, so the exit code says nothing."""
    for source in wanted:
        await machine.processes.run(["chronyc", "add", "server", source, "iburst"], timeout=10, check=False)


def parse(sources: str) -> tuple[NtpSource, ...]:
    """CSV of `chronyc -c sources`: mode, state mark, address, stratum, …"""
    rows = (row for row in csv.reader(sources.splitlines()) if len(row) > 2)
    return tuple(NtpSource(source_name=row[2], source_state=STATES.get(row[1], "error")) for row in rows)
