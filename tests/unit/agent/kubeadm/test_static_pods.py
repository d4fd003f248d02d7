"""Held static pods survive a power failure: each manifest is always in one of two directories."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.kubeadm import leftovers, static_pods
from agent.kubeadm.kinds import PKI
from agent.kubeadm.static_pods import HELD_BACK, MANIFESTS
from agent.machine import Machine
from tests.fakes.agent.machine import Programs, machine_in


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = machine_in(tmp_path)
    for name in ("kube-apiserver.yaml", "kube-scheduler.yaml"):
        machine.files.write(f"{MANIFESTS}/{name}", f"of {name}")
    return machine


def test_a_withheld_static_pod_is_released_unchanged(machine: Machine) -> None:
    static_pods.hold_back(machine)
    assert machine.files.names(MANIFESTS) == ()
    machine.files.write(f"{MANIFESTS}/etcd.yaml", "of etcd.yaml")
    for _ in range(2):
        static_pods.release(machine)
        names = machine.files.names(MANIFESTS)
        assert names == ("etcd.yaml", "kube-apiserver.yaml", "kube-scheduler.yaml")
        assert [machine.files.read(f"{MANIFESTS}/{name}") for name in names] == [f"of {name}" for name in names]
    assert machine.files.names(HELD_BACK) == ()


def test_a_new_static_pod_replaces_one_withheld_by_an_earlier_run(machine: Machine) -> None:
    static_pods.hold_back(machine)
    machine.files.write(f"{MANIFESTS}/kube-apiserver.yaml", "rewritten")
    static_pods.hold_back(machine)
    static_pods.release(machine)
    assert machine.files.read(f"{MANIFESTS}/kube-apiserver.yaml") == "rewritten"


async def test_starting_over_removes_withheld_static_pods(machine: Machine, tmp_path: Path) -> None:
    Programs(tmp_path / "bin").add("systemctl")
    machine.files.write(f"{PKI}/ca.crt", "")
    machine.files.write("/proc/self/mountinfo", "")
    machine.files.at("/var/lib/kubelet").mkdir(parents=True)
    static_pods.hold_back(machine)
    await leftovers.clean(machine, leftovers.WRITTEN)
    assert machine.files.names("/etc/kubernetes") == ()
