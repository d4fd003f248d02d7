"""The labels and taints that the driver sets on a Ready node."""

from __future__ import annotations

import msgspec

from agent.model.intent import Role, Taint
from node0.create_cluster.actions import Installed
from node0.create_cluster.node_marks import WORKER_LABEL, TaintedNode, patch
from tests.fakes.inputs import intents

CONTROL_PLANE = b'{"spec": {"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]}}'
NODE = msgspec.json.decode(CONTROL_PLANE, type=TaintedNode)


def test_a_control_plane_without_requested_labels_is_not_changed() -> None:
    assert patch(Installed(Role.MASTER), intents.host(1), NODE) == {}
    assert patch(Installed(Role.MASTER), None, NODE) == {}


def test_a_worker_is_labelled_as_such() -> None:
    assert patch(Installed(Role.WORKER), None, TaintedNode()) == {"metadata": {"labels": {WORKER_LABEL: ""}}}


def test_requested_labels_and_taints_are_added_to_existing_ones() -> None:
    gpu = Taint(key="gpu", effect="NoSchedule", value="yes")
    host = msgspec.structs.replace(intents.host(1), node_labels={"rack": "a1"}, node_taints=(gpu,))
    expected = patch(Installed(Role.WORKER), host, NODE)
    assert expected["metadata"]["labels"] == {WORKER_LABEL: "", "rack": "a1"}
    assert [taint["key"] for taint in expected["spec"]["taints"]] == ["node-role.kubernetes.io/control-plane", "gpu"]
    patched = msgspec.convert(expected, TaintedNode)
    assert patch(Installed(Role.WORKER), host, patched)["spec"] == expected["spec"], "a second time changes nothing"


def test_labels_requested_by_a_client_override_the_inputs() -> None:
    host = msgspec.structs.replace(intents.host(1), node_labels={"rack": "a1", "row": "7"})
    expected = patch(Installed(Role.MASTER, {"rack": "b2"}), host, NODE)
    assert expected == {"metadata": {"labels": {"rack": "b2", "row": "7"}}}
