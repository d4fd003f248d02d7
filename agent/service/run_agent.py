"""`cluster0-agent run`: the agent's service on live and on installed hosts."""

from __future__ import annotations

import asyncio

from agent.api.client import Client, pinned_tls, service_url
from agent.api.operations import PORT
from agent.machine import Machine
from agent.model.host_documents import AgentPhase, AgentStatus, Installed
from agent.model.host_paths import (
    AGENT_TOKEN_FILE,
    CA_FILE,
    HOST_FILE,
    INSTALLED_FILE,
    INSTALLED_TOKEN_FILE,
    INTENT_FILE,
)
from agent.model.intent import ClusterIntent
from agent.service import instruction_loop
from agent.service.already_installed import leaves_live_system
from agent.service.conflict import watch_conflicts
from agent.service.rendezvous import expected_node0, is_to_lead, watch_addresses
from agent.status import StatusBoard

# One waits for instructions, one may upload logs for minutes, one answers steps. A thousand hosts have to fit into
# node0's memory, and to open a connection takes several times as much of its CPU as a request.
CONNECTIONS = 3

LOOK_SECONDS = 0.1
NETWORK_GIVES_UP = 600.0
"""Seconds after which cluster0-network.service is not tried again."""


async def run_agent(machine: Machine, *, port: int = PORT) -> None:
    """Run until cancelled: a live host follows node0's instructions, an installed host reports its progress.

    Return where there is nothing to do: in an image without a cluster (status `UNCONFIGURED`), and in a live system on
    an installed host (`ALREADY_INSTALLED`). `port`: that of node0's service.
    """
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    if intent is None:
        StatusBoard(machine, AgentStatus(phase=AgentPhase.UNCONFIGURED, hostname=machine.kernel.hostname()))
        return
    installed = machine.files.load(INSTALLED_FILE, Installed)
    if installed is None:
        await _until_it_is_known_which_host_this_is(machine)
    waiting = AgentStatus(
        phase=AgentPhase.WAITING_FOR_NODE0,
        hostname=machine.kernel.hostname(),
        rendezvous_ip=intent.rendezvous_ip,
        node0=expected_node0(intent),
    )
    board = StatusBoard(machine, waiting)
    if installed is None and await leaves_live_system(machine, intent, board):
        return
    token = machine.files.read(AGENT_TOKEN_FILE if installed is None else INSTALLED_TOKEN_FILE).strip()
    tls = pinned_tls(machine.files.at(CA_FILE))
    url = service_url(intent.rendezvous_ip, port)
    async with Client(url=url, tls=tls, token=token, connections=CONNECTIONS) as client, asyncio.TaskGroup() as tasks:
        leads = is_to_lead(machine, intent, installed)
        tasks.create_task(watch_addresses(machine, intent, board, leads=leads), name="watch addresses")
        tasks.create_task(watch_conflicts(machine, intent, board), name="watch for conflicts")
        if installed is None:
            tasks.create_task(instruction_loop.run(machine, intent, board, client), name="follow instructions")
        else:
            # Imported here: a live host, whose CPU is slow at boot, needs no client of the Kubernetes API.
            from agent.service.installed import report_installed

            tasks.create_task(report_installed(machine, intent, installed, board, client), name="report progress")


async def _until_it_is_known_which_host_this_is(machine: Machine) -> None:
    """Wait for `cluster0-agent network`, whose last file is `HOST_FILE`.

    The agent's unit does not wait for it: on a slow CPU this program needs as long to load as udev to find the NICs.
    """
    gives_up = machine.clock.monotonic() + NETWORK_GIVES_UP
    while not machine.files.at(HOST_FILE).exists() and machine.clock.monotonic() < gives_up:
        await machine.clock.sleep(LOOK_SECONDS)
