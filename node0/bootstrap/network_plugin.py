"""The pod network that the payload names."""

from __future__ import annotations

from agent.kubernetes import KUBECTL_CACHE
from agent.machine import Machine
from agent.podnet import PLUGIN, UNIT
from node0.bootstrap.control_plane import ADMIN_KUBECONFIG
from node0.bootstrap.facts import Facts

MANIFESTS = "/usr/share/cluster0/payload"


async def start_unit(machine: Machine, facts: Facts) -> None:
    """For host-gateway routing: start our unit, which waits for the API server. A repeat changes nothing."""
    if facts.payload.network_plugin == PLUGIN:
        await machine.processes.run(["systemctl", "start", UNIT])


async def apply_manifests(machine: Machine, facts: Facts) -> None:
    """For any other plugin: apply its manifests in their order; the API server must answer."""
    for manifest in facts.payload.network_manifests:
        access = [f"--kubeconfig={ADMIN_KUBECONFIG}", f"--cache-dir={KUBECTL_CACHE}"]
        argv = ["kubectl", *access, "apply", f"--filename={MANIFESTS}/{manifest}"]
        await machine.processes.run(argv, timeout=300)
