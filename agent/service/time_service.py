"""Where the site has no time server, node0's chronyd serves the other hosts: then all clocks of the cluster agree.

chronyd gets this by chronyc at run time, because which host is node0 is known only then. The installed system does the
same.
"""

from __future__ import annotations

from agent.checks.ntp import ntp_sources
from agent.machine import Machine
from agent.machine.backoff import delays
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem

STRATUM = 10  # far from any real clock: a host with a better source prefers that
SECONDS = 10.0


async def serve_time(machine: Machine, intent: ClusterIntent) -> None:
    """Let this host's clock be the cluster's. Returns at once where the inputs name time servers."""
    commands = [["delete", intent.rendezvous_ip], ["local", "stratum", f"{STRATUM}"]]
    await _configure_chronyd(machine, intent, [*commands, *(["allow", network] for network in intent.machine_networks)])


async def follow_node0(machine: Machine, intent: ClusterIntent) -> None:
    """Take node0's time. Returns at once where the inputs name time servers."""
    await _configure_chronyd(machine, intent, [["local", "off"]])
    if not intent.ntp_sources:
        await ntp_sources(machine, [intent.rendezvous_ip])


async def _configure_chronyd(machine: Machine, intent: ClusterIntent, commands: list[list[str]]) -> None:
    """Repeated until chronyd has started. A refused command, such as to delete an unknown source, changes nothing."""
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
