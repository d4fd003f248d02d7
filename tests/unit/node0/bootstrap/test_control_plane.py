"""`kubeadm init` runs once per state file system; failures keep its output, and leftovers are removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.kubeadm import kubelet_environment
from agent.kubeadm.leftovers import ETCD
from agent.kubeadm.leftovers import WRITTEN as OWN
from agent.machine import Machine
from agent.model.problems import Problem
from node0.bootstrap import control_plane
from node0.bootstrap.facts import BootstrapFacts
from tests.fakes.agent.machine import Programs, machine_in
from tests.fakes.inputs.intents import intent
from tests.fakes.kubernetes.payload import PAYLOAD

WRITTEN = (*OWN, ETCD)
FACTS = BootstrapFacts(intent=intent(), payload=PAYLOAD, host_id="1", node_name="host1")

SUCCEEDS = """
echo '[certs] Using existing ca certificate authority'
echo '[certs] Generating "apiserver" certificate and key'
echo '[control-plane] Creating static Pod manifest for "kube-apiserver"'
echo 'Your Kubernetes control-plane has initialized successfully!'
"""
FAILS = """
echo '[certs] Using existing ca certificate authority'
echo '[wait-control-plane] Waiting for the kubelet to boot up the control plane'
echo 'error execution phase wait-control-plane: timed out' >&2
exit 1
"""
FAILS_ONCE = """
test -e {count} || echo '[certs] Using existing ca certificate authority'
echo '[apiclient] All control plane components are healthy after 1 s'
echo '[addons] Applied essential addon: kube-proxy'
test -e {count} || {{ touch {count}; echo 'context deadline exceeded' >&2; exit 1; }}
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = machine_in(tmp_path, hostname="host1")
    for directory in (*WRITTEN, "/var/lib/cluster0"):
        machine.files.at(directory).mkdir(parents=True)
    machine.files.write("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/vda rw\n")
    return machine


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    programs = Programs(tmp_path / "bin")
    programs.add("systemctl")
    return programs


async def init(machine: Machine) -> list[str]:
    phases: list[str] = []

    async def progress(phase: str) -> None:
        phases.append(phase)

    await control_plane.init(machine, FACTS, progress)
    return phases


async def test_each_phase_is_reported_once_and_success_is_recorded(machine: Machine, programs: Programs) -> None:
    programs.add("kubeadm", SUCCEEDS)
    assert await init(machine) == ["certs", "control-plane"]
    assert control_plane.is_done(machine)
    config = machine.files.at(control_plane.CONFIG_FILE)
    assert "kubeadm.k8s.io/v1beta2" in config.read_text()
    assert config.stat().st_mode & 0o077 == 0
    assert "AWS_EC2_METADATA_DISABLED=true\n" in machine.files.read(kubelet_environment.FILE)


async def test_a_failed_kubeadm_init_keeps_its_error_and_phase(machine: Machine, programs: Programs) -> None:
    programs.add("kubeadm", FAILS)
    with pytest.raises(Problem) as caught:
        await init(machine)
    assert caught.value.code == "kubeadm-init-failed"
    assert "wait-control-plane" in caught.value.title
    assert "error execution phase wait-control-plane: timed out" in caught.value.detail
    assert not control_plane.is_done(machine)


async def test_a_slow_api_server_causes_another_attempt(machine: Machine, programs: Programs, tmp_path: Path) -> None:
    programs.add("kubeadm", FAILS_ONCE.format(count=tmp_path / "count"))
    assert await init(machine) == ["certs", "apiclient", "addons", "apiclient", "addons"]
    first, second = programs.calls
    assert "--skip-phases=preflight,addon/coredns" in first
    assert "--skip-phases=preflight,certs,kubeconfig,kubelet-start,control-plane,etcd,addon/coredns" in second
    assert control_plane.is_done(machine)


async def test_the_number_of_attempts_is_limited(machine: Machine, programs: Programs) -> None:
    programs.add("kubeadm", "echo '[apiclient] All control plane components are healthy after 1 s'; exit 1")
    with pytest.raises(Problem, match="kubeadm init failed in its phase apiclient"):
        await init(machine)
    assert len(programs.calls) == control_plane.ATTEMPTS


def test_without_a_coredns_its_addon_is_skipped() -> None:
    assert "--skip-phases=preflight,addon/coredns" in control_plane.init_argv(PAYLOAD)


async def test_cleaning_leaves_a_fresh_state_unchanged(machine: Machine, programs: Programs) -> None:
    await control_plane.clean(machine)
    assert programs.calls == []


async def test_what_an_interrupted_init_left_is_removed_but_not_its_directories(
    machine: Machine, programs: Programs
) -> None:
    for path in ("/etc/kubernetes/pki/ca.key", "/var/lib/kubelet/config.yaml", "/var/lib/etcd/member/wal/0.wal"):
        machine.files.write(path, "old")
    machine.files.write("/var/lib/cluster0/node0.db", "kept")
    await control_plane.clean(machine)
    assert programs.calls == ["systemctl stop kubelet.service", "systemctl stop kubepods.slice"]
    assert [machine.files.names(directory) for directory in WRITTEN] == [(), (), ()]
    assert machine.files.names("/var/lib/cluster0") == ("node0.db",)


def test_the_authorities_are_put_where_kubeadm_looks_and_stay_secret(machine: Machine) -> None:
    for name in ("ca.key", "etcd/ca.crt", "sa.pub"):
        machine.files.write(f"/etc/cluster0/node0/pki/{name}", name)
    control_plane.write_pki(machine)
    written = machine.files.at("/etc/kubernetes/pki")
    assert {str(path.relative_to(written)): path.stat().st_mode & 0o777 for path in written.rglob("*.*")} == {
        "ca.key": 0o600,
        "etcd/ca.crt": 0o600,
        "sa.pub": 0o600,
    }
