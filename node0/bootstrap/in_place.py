"""The steps of the bootstrap, in order. Each can be repeated: after a failure or a power cut it runs again."""

from __future__ import annotations

from agent.kubernetes.client import Kubernetes
from agent.kubernetes.milestones import Milestone, record
from agent.kubernetes.nodes import wait_for_node
from agent.machine import Machine
from agent.machine.deadline import deadline
from agent.machine.disk_errors import named_disk_errors
from agent.model.host_documents import BootstrapResult
from agent.model.host_paths import BOOTSTRAP_FILE, STATE_MOUNT
from agent.model.problems import Problem
from agent.model.states import Stage
from node0.bootstrap import control_plane, pod_network
from node0.bootstrap.facts import BootstrapFacts, read_facts
from node0.bootstrap.others import wait_for_others
from node0.bootstrap.service import HOST_TOKEN_FILE, USER_TOKEN_FILE, Stages, move_store, service_client

_NO_STATE = f"Kubernetes cannot start, because {STATE_MOUNT} cannot be written"
_AGAIN = "Then start this host again from the ISO: its install starts over."
_SEE_KUBELET = "See the journal of kubelet.service and containerd.service on this host."


async def run(machine: Machine) -> None:
    """Bootstrap, and write the result to `BOOTSTRAP_FILE`. Raises the Problem that it writes there."""
    try:
        facts = read_facts(machine)
        with named_disk_errors(_NO_STATE, then=_AGAIN):
            async with service_client(machine, facts, HOST_TOKEN_FILE) as service:
                await _bootstrap(machine, facts, Stages(service, facts))
    except Problem as problem:
        machine.files.save(BOOTSTRAP_FILE, BootstrapResult(problem=problem.report()), mode=0o600)
        raise
    machine.files.save(BOOTSTRAP_FILE, BootstrapResult(), mode=0o600)


async def _bootstrap(machine: Machine, facts: BootstrapFacts, stages: Stages) -> None:
    await stages.report(Stage.WAITING_FOR_CONTROL_PLANE, "state")
    async with deadline(300, "Starting on the state file system"):
        async with service_client(machine, facts, USER_TOKEN_FILE) as service:
            await move_store(machine, service, facts.intent.cluster_id)
        await machine.processes.run(["systemctl", "start", "cluster0-state.target"], timeout=120)

    # keepalived's unit has a condition: its configuration exists only if the API has a virtual address.
    await machine.processes.run(["systemctl", "start", "keepalived.service", "containerd.service"], timeout=120)
    if control_plane.is_done(machine):
        await machine.processes.run(["systemctl", "start", "kubelet.service"], timeout=120)
    else:
        await _init(machine, facts, stages)

    await stages.report(Stage.WAITING_FOR_CONTROLLER, "pod network")
    async with (
        deadline(1200, f"Node {facts.node_name} becoming Ready", remedy=_SEE_KUBELET),
        Kubernetes.from_kubeconfig(machine.files.at(control_plane.ADMIN_KUBECONFIG)) as api,
    ):
        await pod_network.start(machine, facts)
        await wait_for_node(api, facts.node_name, machine.clock, lambda _: True)
        await pod_network.set_up(machine, facts, api)
        await stages.report(Stage.WAITING_FOR_CONTROLLER, "node Ready")
        await wait_for_node(api, facts.node_name, machine.clock, lambda node: node.is_ready)
        await record(api, Milestone.BOOTSTRAP_COMPLETE)
    await stages.report(Stage.WAITING_FOR_CONTROLLER, "bootstrap complete")
    async with service_client(machine, facts, USER_TOKEN_FILE) as service:
        await wait_for_others(machine, service, facts.intent.cluster_id, facts.host_id, stages)


async def _init(machine: Machine, facts: BootstrapFacts, stages: Stages) -> None:
    async def progress(phase: str) -> None:
        await stages.report(Stage.WAITING_FOR_BOOTKUBE, phase)
        if phase == control_plane.WAITS:
            await pod_network.start(machine, facts)

    async with deadline(300, "Preparing kubeadm's inputs", remedy=_SEE_KUBELET):
        await control_plane.clean(machine)
        control_plane.write_pki(machine)
    await stages.report(Stage.WAITING_FOR_BOOTKUBE, "kubeadm init")
    async with deadline(3000, "kubeadm init", remedy=_SEE_KUBELET):
        await control_plane.init(machine, facts, progress)
