"""The installed system, started from its disk: joins the cluster and reports each stage to node0.

A repeat after a power cut changes nothing.
"""

from __future__ import annotations

import logging
import tempfile
from functools import partial
from pathlib import Path

from agent.api.client import Client, Refused, Unreachable
from agent.api.operations import UPDATE_PROGRESS
from agent.api.steps import Progress
from agent.kubeadm.join import join
from agent.kubeadm.kinds import KUBELET_KUBECONFIG
from agent.kubernetes.client import Kubernetes
from agent.kubernetes.nodes import Node, wait_for_node
from agent.logs import gather, upload
from agent.machine import Clock, Machine
from agent.machine.backoff import delays
from agent.machine.kernel import BOOT_ID
from agent.model.host_documents import AgentPhase, Installed
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.model.states import InstallRole, Stage
from agent.podnet import UNIT as PODNET_UNIT
from agent.service.state_disk import on_its_disk
from agent.status import StatusBoard

log = logging.getLogger(__name__)

SECONDS_BETWEEN_QUESTIONS = 1.0
_CONFLICT = 409
_UNKNOWN_HOST = "host-unknown"  # of node0's service
# On the state file system, so of this installation: node0 has received Done, and may be gone at a later boot.
DONE_REPORTED_FILE = "/var/lib/cluster0/done-reported"


async def report_installed(
    machine: Machine, intent: ClusterIntent, installed: Installed, board: StatusBoard, client: Client
) -> None:
    """Report to node0 how far the installed system has come in this boot; nothing once node0 has received Done."""
    if machine.files.at(DONE_REPORTED_FILE).exists():
        board.update(phase=AgentPhase.INSTALLED)
        return
    board.update(detail="started from disk")
    try:
        await report_stages(machine=machine, intent=intent, installed=installed, board=board, client=client)
    except Problem as problem:
        board.failed(_started_over() if problem.code == _UNKNOWN_HOST else problem)
        await _hand_in_logs(machine, installed, client)
    else:
        machine.files.write(DONE_REPORTED_FILE, "")
        board.update(phase=AgentPhase.INSTALLED, detail="")


def _started_over() -> Problem:
    return Problem(
        code="node0-started-over",
        title="node0 does not know this host: its own install has started over since this host was installed.",
        remedy='Boot this host from the ISO, and choose "Install again" in its menu.',
    )


async def _hand_in_logs(machine: Machine, installed: Installed, client: Client) -> None:
    """Upload them without an instruction: node0 sends instructions to live hosts only."""
    ids = {"cluster_id": installed.cluster_id, "infra_env_id": installed.infra_env_id, "host_id": installed.host_id}
    with tempfile.TemporaryDirectory(prefix="cluster0-logs-") as directory:
        try:
            await upload(client, await gather(machine, Path(directory)), **ids)
        except Problem as problem:
            log.warning("the logs did not reach node0: %s", problem)


async def report_stages(
    *, machine: Machine, intent: ClusterIntent, installed: Installed, board: StatusBoard, client: Client
) -> None:
    """Report Configuring at once, Joined when this boot's kubelet has updated its Node and, on a control plane, this
    host's own API server is ready, Done when the node is Ready.

    Waits without limit. Raises Problem when node0 refuses a report, or the kubeconfig cannot be used.
    """
    name = machine.kernel.hostname().lower()
    boot = machine.files.read(BOOT_ID).strip()
    log.info("%s of cluster %s, started from %s", name, intent.name, installed.boot_device)

    def has_joined(node: Node) -> bool:
        return node.boot_id == boot and node.addresses != ()

    def is_done(node: Node) -> bool:
        return has_joined(node) and node.is_ready

    async def joining(words: str) -> None:
        await _report(client, installed, machine.clock, Stage.CONFIGURING, words)

    await joining("")
    if installed.role is not InstallRole.BOOTSTRAP:
        work = partial(join, machine, installed, client, joining, node_units=[PODNET_UNIT])
        try:
            await on_its_disk(machine, board, joining, work)
        except Problem as problem:
            await _report(client, installed, machine.clock, Stage.FAILED, str(problem))
            raise
    async with Kubernetes.from_kubeconfig(machine.files.at(KUBELET_KUBECONFIG)) as api:
        node = await wait_for_node(api, name, machine.clock, until=has_joined)
        if node.is_control_plane:
            await joining("waiting for this host's API server")
            async with api.of_host(node.addresses[0]) as own:
                while not await own.is_ready():
                    await machine.clock.sleep(SECONDS_BETWEEN_QUESTIONS)
        await _report(client, installed, machine.clock, Stage.JOINED)
        await wait_for_node(api, name, machine.clock, until=is_done)
    await _report(client, installed, machine.clock, Stage.DONE)


async def _report(client: Client, installed: Installed, clock: Clock, stage: Stage, info: str = "") -> None:
    """Repeat until node0 has received it: on node0 the service may still be starting."""
    for delay in delays():
        try:
            await client.call(
                UPDATE_PROGRESS,
                Progress(current_stage=stage, progress_info=info),
                infra_env_id=installed.infra_env_id,
                host_id=installed.host_id,
            )
            return
        except Unreachable:
            await clock.sleep(delay)
        except Refused as refusal:
            if refusal.status == _CONFLICT:
                log.info("%s: node0 knows a later stage already", stage)
                return
            if not refusal.passes_by_itself:
                raise
            await clock.sleep(delay)
