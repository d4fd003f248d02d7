"""The pod network of a node, computed from the Node objects: CNI configuration, masquerading, routes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from agent.kubernetes.nodes import Node
from agent.model.host_documents import ImagePayload
from agent.model.host_paths import INTENT_FILE, RELEASE_FILE
from agent.model.problems import Problem
from agent.podnet.cni import CONFIG_FILE, KEPT_FILE, conflist
from agent.podnet.routes import PodRoute, pod_routes
from agent.podnet.run import ruleset, serve
from tests.fakes.agent.machine import Programs, machine_in
from tests.fakes.inputs.intents import intent
from tests.fakes.kubernetes.payload import PAYLOAD


def node(name: str, cidrs: tuple[str, ...], *addresses: str) -> Node:
    status = {"addresses": [{"type": "InternalIP", "address": address} for address in addresses]}
    document = {"metadata": {"name": name}, "spec": {"podCIDRs": cidrs}, "status": status}
    return msgspec.convert(document, Node)


def test_the_cni_configuration_is_golden(golden: Callable[[str, str], None]) -> None:
    golden("podnet/ipv4.conflist", json.dumps(conflist(["10.128.2.0/23"]), indent=2) + "\n")
    golden("podnet/dual-stack.conflist", json.dumps(conflist(["10.128.2.0/23", "fd01::/64"]), indent=2) + "\n")


def test_the_masquerading_rules_are_golden(golden: Callable[[str, str], None]) -> None:
    golden("podnet/dual-stack.nft", ruleset(["10.128.0.0/14", "fd01::/48"]))


def test_a_route_for_each_other_node_and_family() -> None:
    nodes = [
        node("n1", ("10.128.0.0/23",), "192.0.2.11"),
        node("n2", ("10.128.2.0/23", "fd01:0:0:2::/64"), "192.0.2.12", "2001:db8::12"),
        node("n3", (), "192.0.2.13"),
    ]
    assert pod_routes(nodes, "n1") == {
        PodRoute("10.128.2.0/23", "192.0.2.12"),
        PodRoute("fd01:0:0:2::/64", "2001:db8::12"),
    }
    assert pod_routes(nodes[:1], "n1") == frozenset()


@pytest.mark.parametrize("kept", ["", '{"name": "cluster0"}'])
async def test_the_configuration_of_the_last_boot_is_there_before_the_api_server_answers(
    tmp_path: Path, kept: str
) -> None:
    Programs(tmp_path / "bin").add("nft")
    machine = machine_in(tmp_path, hostname="node0")
    machine.files.save(RELEASE_FILE, ImagePayload(payload=PAYLOAD))
    machine.files.save(INTENT_FILE, intent())
    if kept:
        machine.files.write(KEPT_FILE, kept)
    with pytest.raises(Problem, match=r"kubelet\.conf cannot be used"):
        await serve(machine)
    assert machine.files.read(CONFIG_FILE, "") == kept
