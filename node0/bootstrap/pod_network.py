"""The pod network of the first node: the range of our own plugin, or the manifests of another plugin."""

from __future__ import annotations

import logging
from ipaddress import ip_network

from agent.kubernetes import KUBECTL_CACHE
from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes, ObjectList
from agent.kubernetes.nodes import NODES, Node
from agent.machine import Machine
from agent.model.intent import ClusterIntent
from agent.podnet import PLUGIN, UNIT
from node0.bootstrap.control_plane import ADMIN_KUBECONFIG
from node0.bootstrap.facts import BootstrapFacts

log = logging.getLogger(__name__)

MANIFESTS = "/usr/share/cluster0/payload"
# Of kubeadm's configuration: with a patch of it, the controller manager may give out other ranges, or none.
_CONTROLLER_MANAGER = "controllerManager"


async def start(machine: Machine, facts: BootstrapFacts) -> None:
    """For host-gateway routing: start our unit, which waits for the API server. A repeat changes nothing."""
    if facts.payload.network_plugin == PLUGIN:
        await machine.processes.run(["systemctl", "start", UNIT])


async def set_up(machine: Machine, facts: BootstrapFacts, api: Kubernetes) -> None:
    """For host-gateway routing: give this node its range. For any other plugin: apply its manifests in their order.

    The API server must answer, and have the Node.
    """
    if facts.payload.network_plugin == PLUGIN:
        await _give_range(facts, api)
    for manifest in facts.payload.network_manifests:
        access = [f"--kubeconfig={ADMIN_KUBECONFIG}", f"--cache-dir={KUBECTL_CACHE}"]
        argv = ["kubectl", *access, "apply", f"--filename={MANIFESTS}/{manifest}"]
        await machine.processes.run(argv, timeout=300)


async def _give_range(facts: BootstrapFacts, api: Kubernetes) -> None:
    """Give the first node the first range, as the controller manager does ten seconds after its own start.

    Both give the same range, so it does not matter which comes first. Where this fails, the controller manager does it.
    Once a node has a range, in a bootstrap that is repeated, the first one may be taken.
    """
    cidr = first_range(facts.intent)
    if not cidr:
        return
    try:
        nodes = await api.get(NODES, ObjectList[Node])
        if any(node.spec.podCIDRs for node in nodes.items):
            return
        await api.merge(f"{NODES}/{facts.node_name}", {"spec": {"podCIDR": cidr, "podCIDRs": [cidr]}})
    except (ApiRefused, ApiUnreachable) as problem:
        log.info("The controller manager gives %s its pod CIDR: %s", facts.node_name, problem.title)


def first_range(intent: ClusterIntent) -> str:
    """The CIDR that an empty allocator gives out first; empty where only the controller manager knows it. Pure."""
    if len(intent.cluster_networks) != 1 or _CONTROLLER_MANAGER in intent.kubeadm.cluster_configuration:
        return ""
    (network,) = intent.cluster_networks
    return str(next(ip_network(network.cidr).subnets(new_prefix=network.host_prefix)))
