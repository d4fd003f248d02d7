"""Where the site has no time server, node0's chronyd serves the other hosts: then they agree at least with each other.

chronyd is told at run time, for who is node0 turns out at run time too; the installed system does the same again.
"""

from __future__ import annotations

from agent.checks.ntp import ntp_sources
from agent.machine import Machine
from agent.machine.backoff import delays
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem

STRATUM = 10  # far from any real clock: whoever gets a better source prefers it
SECONDS = 10.0


async def serve_time(machine: Machine, intent: ClusterIntent) -> None:
    """Let this host's clock be the cluster's. Returns at once where the inputs name time servers."""
    commands = [["delete", intent.rendezvous_ip], ["local", "stratum", f"{STRATUM}"]]
    await _tell(machine, intent, [*commands, *(["allow", network] for network in intent.machine_networks)])


async def follow_node0(machine: Machine, intent: ClusterIntent) -> None:
    """Take node0's time. Returns at once where the inputs name time servers."""
    await _tell(machine, intent, [["local", "off"]])
    if not intent.ntp_sources:
        await ntp_sources(machine, [intent.rendezvous_ip])


async def _tell(machine: Machine, intent: ClusterIntent, commands: list[list[str]]) -> None:
    """Repeated until chronyd has started. What it refuses, such as to delete what it has not, is already so."""
    if intent.ntp_sources:
        return
    for delay in delays():
        try:
            await machine.processes.run(["chronyc", "tracking"], timeout=SECONDS)
        except Problem:
            await machine.clock.sleep(delay)
            continue
        for command in commands:
            await machine.processes.run(["chronyc", *command], timeout=SECONDS, check=False)
        return
