"""The bootstrap gives the first node the range that the real controller manager would give it, and podnet uses it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.kubeadm.kinds import KUBELET_KUBECONFIG
from agent.kubernetes.client import Kubernetes
from agent.kubernetes.nodes import NODES, Node, wait_for_node
from agent.machine import Machine
from agent.machine.inotify import replacements
from agent.model.host_documents import ImagePayload
from agent.model.host_paths import INTENT_FILE, RELEASE_FILE
from agent.podnet.cni import CONFIG_FILE, KEPT_FILE
from agent.podnet.run import serve
from node0.bootstrap import pod_network
from node0.bootstrap.facts import BootstrapFacts
from tests.fakes.agent.machine import FastClock, Programs, machine_in
from tests.fakes.inputs.intents import intent
from tests.fakes.kubernetes.native_control_plane import cached_payload, running, signing
from tests.fakes.kubernetes.payload import PAYLOAD

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

SECONDS = 60
ALLOCATING = (
    "--controllers=nodeipam", "--allocate-node-cidrs", "--cluster-cidr=10.128.0.0/14", "--node-cidr-mask-size=23",
)  # fmt: skip


async def make_node(api: Kubernetes, name: str) -> None:
    await api.apply(f"{NODES}/{name}", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})


async def set_up(machine: Machine, api: Kubernetes, name: str) -> tuple[str, ...]:
    """The range of the node called `name`, after the bootstrap has set up its pod network."""
    facts = BootstrapFacts(intent=intent(), payload=PAYLOAD, host_id="1", node_name=name)
    await pod_network.set_up(machine, facts, api)
    return (await api.get(f"{NODES}/{name}", Node)).spec.podCIDRs


async def the_plugin_is_configured_and_keeps_a_copy(machine: Machine, programs: Programs) -> None:
    programs.add("nft")
    machine.files.save(RELEASE_FILE, ImagePayload(payload=PAYLOAD))
    machine.files.save(INTENT_FILE, intent())
    (place := machine.files.at(CONFIG_FILE).parent).mkdir(parents=True)
    changes = replacements(place)
    next(changes)
    async with asyncio.TaskGroup() as tasks:
        podnet = tasks.create_task(serve(machine))
        # Also ends the thread below.
        podnet.add_done_callback(lambda _: machine.files.write(place.relative_to(machine.files.root) / "ended", ""))
        await asyncio.to_thread(next, changes)
        podnet.cancel()
    assert '"10.128.0.0/23"' in machine.files.read(CONFIG_FILE)
    assert machine.files.read(KEPT_FILE) == machine.files.read(CONFIG_FILE)


async def test_the_first_node_has_its_range_before_the_controller_manager_runs(tmp_path: Path) -> None:
    payload = cached_payload()
    machine = machine_in(tmp_path / "host", hostname="node0")
    async with (
        asyncio.timeout(SECONDS),
        running(tmp_path, payload) as cluster,
        Kubernetes.from_kubeconfig(cluster.admin) as api,
    ):
        await make_node(api, "node0")
        assert await set_up(machine, api, "node0") == ("10.128.0.0/23",)
        assert await set_up(machine, api, "node0") == ("10.128.0.0/23",)
        await make_node(api, "node1")
        assert await set_up(machine, api, "node1") == (), "only the first node knows its range"
        async with signing(cluster, payload, *ALLOCATING):
            second = await wait_for_node(api, "node1", FastClock(), lambda node: bool(node.spec.podCIDRs))
        first = await api.get(f"{NODES}/node0", Node)
        assert (first.spec.podCIDRs, second.spec.podCIDRs) == (("10.128.0.0/23",), ("10.128.2.0/23",))
        machine.files.write(KUBELET_KUBECONFIG, cluster.kubelet.read_bytes())
        await the_plugin_is_configured_and_keeps_a_copy(machine, Programs(tmp_path / "host/bin"))


async def test_the_controller_manager_gives_the_first_node_the_same_range(tmp_path: Path) -> None:
    payload = cached_payload()
    async with (
        asyncio.timeout(SECONDS),
        running(tmp_path, payload) as cluster,
        Kubernetes.from_kubeconfig(cluster.admin) as api,
        signing(cluster, payload, *ALLOCATING),
    ):
        await make_node(api, "node0")
        node = await wait_for_node(api, "node0", FastClock(), lambda node: bool(node.spec.podCIDRs))
        assert node.spec.podCIDRs == (pod_network.first_range(intent()),)
