"""The pod network that the payload names."""

from __future__ import annotations

from agent.machine import Machine
from node0.bootstrap.control_plane import ADMIN_KUBECONFIG
from node0.bootstrap.facts import HOST_GATEWAY, Facts

PODNET_UNIT = "cluster0-podnet.service"
MANIFESTS = "/usr/share/cluster0/payload"


async def start_network(machine: Machine, facts: Facts) -> None:
    """Start our own unit for host-gateway routing, or apply the plugin's manifests in their order."""
    if facts.payload.network_plugin == HOST_GATEWAY:
        await machine.processes.run(["systemctl", "start", PODNET_UNIT])
        return
    for manifest in facts.payload.network_manifests:
        argv = ["kubectl", f"--kubeconfig={ADMIN_KUBECONFIG}", "apply", f"--filename={MANIFESTS}/{manifest}"]
        await machine.processes.run(argv, timeout=300)
