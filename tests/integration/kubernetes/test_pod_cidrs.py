"""The bootstrap gives the first node the range that the real controller manager would give it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.kubernetes.client import Kubernetes
from agent.kubernetes.nodes import NODES, Node, wait_for_node
from agent.machine import Machine
from node0.bootstrap import pod_network
from node0.bootstrap.facts import BootstrapFacts
from tests.fakes.agent.machine import FastClock, machine_in
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
