"""Does this host's clock follow somebody? chronyd is given the cluster's sources, and asked which of them it follows."""

from __future__ import annotations

import csv
from collections.abc import Iterable

from agent.api.steps import NtpSource
from agent.machine import Machine

SECONDS = 10.0

# chronyc's marks, see chronyc(1) "sources".
STATES = {
    "*": "synced",
    "+": "combined",
    "-": "not_combined",
    "?": "unreachable",
    "x": "error",
    "~": "variable",
}


async def ntp_sources(machine: Machine, wanted: Iterable[str]) -> tuple[NtpSource, ...]:
    """Every source chronyd has, once it was given those in `wanted`. Raises Problem when chronyd does not answer."""
    for source in wanted:
        # A source that is there already is refused, so the exit code says nothing.
        await machine.processes.run(["chronyc", "add", "server", source, "iburst"], timeout=SECONDS, check=False)
    listed = await machine.processes.run(["chronyc", "-c", "-n", "sources"], timeout=SECONDS)
    return parse(listed.stdout)


def parse(sources: str) -> tuple[NtpSource, ...]:
    """CSV of `chronyc -c sources`: mode, state mark, address, stratum, …"""
    rows = (row for row in csv.reader(sources.splitlines()) if len(row) > 2)
    return tuple(NtpSource(source_name=row[2], source_state=STATES.get(row[1], "error")) for row in rows)
