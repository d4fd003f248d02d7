"""kubeadm's patches for etcd."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.etcd.client import Member
from agent.kubeadm import static_pod_patches
from agent.machine import Machine
from tests.fakes.agent.machine import machine_in


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_in(tmp_path)


def operation(machine: Machine, name: str) -> Any:
    (only,) = json.loads(machine.files.read(f"{static_pod_patches.DIRECTORY}/{name}"))
    return only


def test_an_etcd_member_that_has_not_started_is_named_in_the_patch(machine: Machine) -> None:
    known = (
        Member(id="1", name="node0", peer_urls=("https://192.168.126.10:2380",)),
        Member(id="2", peer_urls=("https://192.168.126.12:2380",), is_learner=True),
    )
    static_pod_patches.name_etcd_member(machine, known, "node2", "https://192.168.126.12:2380")
    assert operation(machine, "etcd-name+json.json") == {
        "op": "add",
        "path": "/spec/containers/0/command/-",
        "value": "--initial-cluster=node0=https://192.168.126.10:2380,node2=https://192.168.126.12:2380",
    }


def liveness(machine: Machine, pod: str) -> str:
    change = operation(machine, f"{pod}-liveness+json.json")
    assert (change["op"], change["path"]) == ("replace", "/spec/containers/0/livenessProbe/httpGet/path")
    return str(change["value"])


@pytest.mark.parametrize("version", ["v1.20.2", "v1.24.17"])
def test_liveness_probes_do_not_depend_on_the_etcd_quorum(machine: Machine, version: str) -> None:
    static_pod_patches.prepare(machine, version)
    assert liveness(machine, "etcd") == "/metrics"
    assert liveness(machine, "kube-apiserver") == "/livez?exclude=etcd"


def test_since_kubernetes_1_25_etcds_probe_is_not_patched(machine: Machine) -> None:
    static_pod_patches.prepare(machine, "v1.25.0")
    assert "etcd-liveness+json.json" not in machine.files.names(static_pod_patches.DIRECTORY)
    assert liveness(machine, "kube-apiserver") == "/livez?exclude=etcd"
