"""`cluster0-agent run`: an image without a cluster, a live host, or an installed one."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from pathlib import Path

from agent.api.client import Client, pinned_tls, service_url
from agent.api.operations import PORT
from agent.logs import gather, upload
from agent.machine import Machine
from agent.model.host_documents import AgentStatus, Installed, Phase
from agent.model.host_paths import AGENT_TOKEN_FILE, CA_FILE, INSTALLED_FILE, INSTALLED_TOKEN_FILE, INTENT_FILE
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.service import instruction_loop
from agent.service.conflict import watch_conflicts
from agent.service.rendezvous import expected_node0, watch_addresses
from agent.status import StatusBoard

log = logging.getLogger(__name__)

# On the state file system, so of this installation: node0 has received Done, and may be gone at a later boot.
DONE_REPORTED_FILE = "/var/lib/cluster0/settled"


async def run_agent(machine: Machine, *, port: int = PORT) -> None:
    """Runs until cancelled; returns at once in an image without a cluster. `port`: of node0's service."""
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
            tasks.create_task(instruction_loop.run(machine, intent, board, client), name="talk to node0")
        else:
            tasks.create_task(
                report_installed(machine, intent, installed, board, client), name="report the installed system"
            )


async def report_installed(
    machine: Machine, intent: ClusterIntent, installed: Installed, board: StatusBoard, client: Client
) -> None:
    """Report to node0 how far the installed system has come in this boot; nothing once node0 has received Done."""
    from agent.install.booted import report_booted

    if machine.files.at(DONE_REPORTED_FILE).exists():
        board.update(phase=Phase.INSTALLED)
        return
    board.update(detail="started from disk")
    try:
        await report_booted(machine=machine, intent=intent, installed=installed, client=client)
    except Problem as problem:
        board.failed(problem)
        await _hand_in_logs(machine, installed, client)
    else:
        machine.files.write(DONE_REPORTED_FILE, "")
        board.update(phase=Phase.INSTALLED, detail="")


async def _hand_in_logs(machine: Machine, installed: Installed, client: Client) -> None:
    """Upload them without an instruction: node0 sends instructions to live hosts only."""
    ids = {"cluster_id": installed.cluster_id, "infra_env_id": installed.infra_env_id, "host_id": installed.host_id}
    with tempfile.TemporaryDirectory(prefix="cluster0-logs-") as directory:
        try:
            await upload(client, await gather(machine, Path(directory)), **ids)
        except Problem as problem:
            log.warning("the logs did not reach node0: %s", problem)
