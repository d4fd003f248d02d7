"""Which time sources chronyd has on this host, and which of them it follows."""

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


async def ntp_sources(machine: Machine, requested: Iterable[str]) -> tuple[NtpSource, ...]:
    """Every source of chronyd, after the missing ones of `requested` are added. Raises Problem when chronyd does not
    answer."""
    sources = await _list(machine)
    missing = set(requested) - {source.source_name for source in sources}
    for name in sorted(missing):  # only missing ones: chronyd would add a host name again each time
        await machine.processes.run(["chronyc", "add", "server", name, "iburst"], timeout=SECONDS)
    return await _list(machine) if missing else sources


async def _list(machine: Machine) -> tuple[NtpSource, ...]:
    listed = await machine.processes.run(["chronyc", "-c", "-N", "sources"], timeout=SECONDS)
    return parse(listed.stdout)


def parse(sources: str) -> tuple[NtpSource, ...]:
    """CSV of `chronyc -c sources`: mode, state mark, name, stratum, …"""
    rows = (row for row in csv.reader(sources.splitlines()) if len(row) > 2)
    return tuple(NtpSource(source_name=row[2], source_state=STATES.get(row[1], "error")) for row in rows)
