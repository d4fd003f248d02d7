"""`kubeadm join` is repeated with a new credential until it succeeds, and no secret stays on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from agent.api.client import Refused, Unreachable
from agent.api.join import JoinCredential
from agent.kubeadm import join as joining
from agent.kubeadm import kubelet_environment, static_pod_patches
from agent.kubeadm.join_config import discovery_kubeconfig, render
from agent.kubeadm.leftovers import ETCD, WRITTEN
from agent.machine import Machine
from agent.model.host_documents import ImagePayload, Installed
from agent.model.host_paths import RELEASE_FILE
from agent.model.payload import KubeadmApi
from agent.model.problems import Problem
from agent.model.states import InstallRole
from tests.fakes.agent.machine import Programs, machine_in
from tests.fakes.kubernetes.payload import PAYLOAD

PAUSE = "registry.test/pause:3.2"
SECRET = "abcdef.0123456789abcdef"
WORKER = JoinCredential(
    api_endpoint="192.0.2.10:6443",
    ca_certificate="-----BEGIN CERTIFICATE-----\n",
    token=SECRET,
    expires_at="2026-05-01T12:00:00+00:00",
    node_name="node1",
    address="192.0.2.11",
)
MASTER = msgspec.structs.replace(WORKER, control_plane_files={"ca.key": "the key", "etcd/ca.key": "etcd's key"})
INSTALLED = Installed(cluster_id="c", infra_env_id="e", host_id="h", role=InstallRole.MASTER, boot_device="/dev/vda")
SUCCEEDS = """
echo '[kubelet-start] Starting the kubelet'
echo 'This node has joined the cluster:'
"""
FAILS_ONCE = """
test -e {mark} && exit 0
mkdir -p {root}/etc/kubernetes/pki {root}/var/lib/etcd/member
touch {mark} {root}/etc/kubernetes/pki/ca.crt
echo 'error execution phase kubelet-start: timed out' >&2
exit 1
"""


class Node0:
    """Returns `answers` in order, then the last one repeatedly."""

    def __init__(self, *answers: JoinCredential | Problem) -> None:
        self._answers = list(answers)
        self.requests = 0

    async def call(self, *_route: object, **_path: str) -> JoinCredential:
        self.requests += 1
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Problem):
            raise answer
        return answer


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = machine_in(tmp_path, hostname="node1")
    for directory in (*WRITTEN, ETCD, "/var/lib/cluster0"):
        machine.files.at(directory).mkdir(parents=True)
    machine.files.write("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/vda rw\n")
    machine.files.save(RELEASE_FILE, ImagePayload(payload=PAYLOAD))
    return machine


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    programs = Programs(tmp_path / "bin")
    programs.add("systemctl")
    return programs


async def join(machine: Machine, node0: Any) -> list[str]:
    reported: list[str] = []

    async def report(message: str) -> None:
        reported.append(message)

    await joining.join(machine, INSTALLED, node0, report, node_units=["cluster0-podnet.service"])
    return reported


async def test_a_completed_join_is_not_repeated(machine: Machine, programs: Programs) -> None:
    programs.add("kubeadm", SUCCEEDS)
    node0 = Node0(WORKER)
    assert await join(machine, node0) == ["kubeadm join: kubelet-start"]
    assert await join(machine, node0) == []
    assert node0.requests == 1
    assert [call for call in programs.calls if call.startswith("kubeadm")] == [
        "kubeadm join --config=/run/cluster0/kubeadm-join.yaml --skip-phases=preflight"
    ]
    assert programs.calls[-1] == "systemctl start cluster0-podnet.service"


async def test_a_join_waits_for_its_turn_and_for_node0(machine: Machine, programs: Programs) -> None:
    programs.add("kubeadm", SUCCEEDS)
    unreachable = Unreachable(code="unreachable", title="no answer")
    not_yet = Refused(status=409, code="join-not-yet", title="waiting for node2 to join the control plane first")
    reported = await join(machine, Node0(unreachable, not_yet, WORKER))
    assert reported[:2] == ["waiting for node0", "waiting for node2 to join the control plane first"]


async def test_a_final_refusal_of_the_credential_ends_the_join(machine: Machine, programs: Programs) -> None:
    with pytest.raises(Refused, match="revoked"):
        await join(machine, Node0(Refused(status=403, code="forbidden", title="The token was revoked.")))


async def test_a_failed_join_starts_over_and_keeps_etcds_data(machine: Machine, programs: Programs) -> None:
    programs.add("kubeadm", FAILS_ONCE.format(mark=machine.files.at("/broken"), root=machine.files.root))
    node0 = Node0(WORKER)
    reported = await join(machine, node0)
    assert reported == [f"kubeadm join failed, trying again (1 of {joining.ATTEMPTS})"]
    assert node0.requests == 2
    assert machine.files.names("/etc/kubernetes") == ()
    assert machine.files.names(ETCD) == ("member",)
    assert machine.files.at(kubelet_environment.FILE).exists()


async def test_a_join_that_keeps_failing_ends_with_kubeadms_error_and_leaves_no_secret(
    machine: Machine, programs: Programs
) -> None:
    programs.add("kubeadm", "echo 'error: no route to host' >&2; exit 1")
    with pytest.raises(Problem) as caught:
        await join(machine, Node0(WORKER))
    assert caught.value.code == "kubeadm-join-failed"
    assert "no route to host" in caught.value.detail
    assert machine.files.names("/run/cluster0") == ()


@pytest.mark.parametrize("api", list(KubeadmApi))
def test_the_join_configuration_fits_role_and_kubeadm_version(api: KubeadmApi) -> None:
    master = yaml.safe_load(render(MASTER, api, pause=PAUSE, token=SECRET, discovery_file="/run/d"))
    assert master["apiVersion"] == api
    assert master["discovery"]["file"] == {"kubeConfigPath": "/run/d"}
    assert master["discovery"]["tlsBootstrapToken"] == SECRET
    admin = yaml.safe_load(render(MASTER, api, pause=PAUSE, token="", discovery_file="/etc/kubernetes/admin.conf"))
    assert "tlsBootstrapToken" not in admin["discovery"]
    assert master["controlPlane"]["localAPIEndpoint"] == {"advertiseAddress": "192.0.2.11", "bindPort": 6443}
    in_config = master.get("patches") == {"directory": static_pod_patches.DIRECTORY}
    assert in_config is not bool(static_pod_patches.on_command_line(api))
    assert "controlPlane" not in yaml.safe_load(render(WORKER, api, pause=PAUSE, token=SECRET, discovery_file="/run/d"))


@pytest.mark.parametrize("api", [KubeadmApi.V1BETA2, KubeadmApi.V1BETA3])
def test_only_the_first_try_of_a_join_waits_for_no_second_answer(api: KubeadmApi) -> None:
    first, second = (
        yaml.safe_load(render(MASTER, api, pause=PAUSE, token=SECRET, discovery_file="/run/d", is_patient=is_patient))
        for is_patient in (False, True)
    )
    assert (first["discovery"]["timeout"], second["discovery"]["timeout"]) == ("100ms", "5m0s")


def test_a_kubelet_before_1_22_keeps_the_pause_image() -> None:
    """kubeadm of later releases says so itself."""
    worker = yaml.safe_load(render(WORKER, KubeadmApi.V1BETA2, pause=PAUSE, token=SECRET, discovery_file="/run/d"))
    assert worker["nodeRegistration"]["kubeletExtraArgs"]["pod-infra-container-image"] == PAUSE


def test_the_discovery_file_trusts_the_clusters_ca() -> None:
    document = yaml.safe_load(discovery_kubeconfig(WORKER))
    assert document["clusters"][0]["cluster"]["server"] == "https://192.0.2.10:6443"
    assert document["users"][0]["user"] == {"token": SECRET}


def test_the_repr_of_a_join_credential_hides_its_secrets() -> None:
    assert SECRET not in repr(MASTER)
    assert "the key" not in str(MASTER)
