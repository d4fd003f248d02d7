"""`cluster0-agent run`: what the resident agent does, and for which of its three lives."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from pathlib import Path

from agent.api.client import Client, pinned_tls, service_url
from agent.api.routes import PORT
from agent.logs import gather, upload
from agent.machine import Machine
from agent.model.intent import ClusterIntent
from agent.model.local import (
    AGENT_TOKEN_FILE,
    CA_FILE,
    INSTALLED_FILE,
    INSTALLED_TOKEN_FILE,
    INTENT_FILE,
    AgentStatus,
    Installed,
    Phase,
)
from agent.model.problems import Problem
from agent.service.conflict import watch_conflicts
from agent.service.instruction_loop import converse
from agent.service.rendezvous import expected_node0, watch_addresses
from agent.status import StatusBoard

log = logging.getLogger(__name__)

# On the state file system, so of this installation: node0 has heard Done, and may be gone at a later boot.
SETTLED_FILE = "/var/lib/cluster0/settled"


async def serve(machine: Machine, *, port: int = PORT) -> None:
    """Until cancelled; an unconfigured image has nothing to serve and returns at once. `port`: of node0's service."""
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    hostname = machine.kernel.hostname()
    if intent is None:
        StatusBoard(machine, AgentStatus(phase=Phase.UNCONFIGURED, hostname=hostname))
        return
    waiting = AgentStatus(
        phase=Phase.WAITING_FOR_NODE0,
        hostname=hostname,
        rendezvous_ip=intent.rendezvous_ip,
        node0=expected_node0(intent),
    )
    board = StatusBoard(machine, waiting)
    installed = machine.files.load(INSTALLED_FILE, Installed)
    token = machine.files.read(AGENT_TOKEN_FILE if installed is None else INSTALLED_TOKEN_FILE).strip()
    tls = pinned_tls(machine.files.at(CA_FILE))
    url = service_url(intent.rendezvous_ip, port)
    async with Client(url=url, tls=tls, token=token) as client, asyncio.TaskGroup() as tasks:
        tasks.create_task(watch_addresses(machine, intent, board), name="watch addresses")
        tasks.create_task(watch_conflicts(machine, intent, board), name="watch for conflicts")
        if installed is None:
            tasks.create_task(converse(machine, intent, board, client), name="talk to node0")
        else:
            tasks.create_task(settle(machine, intent, installed, board, client), name="report the installed system")


async def settle(
    machine: Machine, intent: ClusterIntent, installed: Installed, board: StatusBoard, client: Client
) -> None:
    """The installed system, booted: tell node0 how far the node has come. The address watch stays after it."""
    from agent.install.booted import report_booted

    if machine.files.at(SETTLED_FILE).exists():
        board.update(phase=Phase.INSTALLED)
        return
    board.update(detail="started from disk")
    try:
        await report_booted(machine=machine, intent=intent, installed=installed, client=client)
    except Problem as problem:
        board.failed(problem)
        await _hand_in_logs(machine, installed, client)
    else:
        machine.files.write(SETTLED_FILE, "")
        board.update(phase=Phase.INSTALLED, detail="")


async def _hand_in_logs(machine: Machine, installed: Installed, client: Client) -> None:
    """node0 asks a live host for its logs; an installed one, which it gives no instructions, brings them by itself."""
    ids = {"cluster_id": installed.cluster_id, "infra_env_id": installed.infra_env_id, "host_id": installed.host_id}
    with tempfile.TemporaryDirectory(prefix="cluster0-logs-") as directory:
        try:
            await upload(client, await gather(machine, Path(directory)), **ids)
        except Problem as problem:
            log.warning("the logs did not reach node0: %s", problem)
