"""The real kubeadm takes our configuration and our authorities; a real API server then serves what hosts ask of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

from agent.api.client import Client, pinned_tls
from agent.kubeadm.kinds import KUBELET_KUBECONFIG
from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes
from agent.kubernetes.milestones import Milestone, is_reached, record
from agent.kubernetes.nodes import NODES, Node, wait_for_node
from agent.machine.kernel import BOOT_ID
from agent.model.host_documents import AgentPhase, AgentStatus, Installed
from agent.model.problems import Problem
from agent.model.states import InstallRole, Stage
from agent.service.installed import report_stages
from agent.status import StatusBoard
from tests.fakes.agent.machine import FastClock, machine_in
from tests.fakes.agent.scripted_service import ScriptedService
from tests.fakes.inputs.intents import CLUSTER_ID, INFRA_ENV_ID, intent
from tests.fakes.kubernetes.native_control_plane import (
    ControlPlane,
    NativePayload,
    cached_payload,
    certificates,
    running,
)
from tests.fakes.system.tls import make_loopback_tls

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

SECONDS = 30


@pytest.fixture(scope="module")
def payload() -> NativePayload:
    return cached_payload()


async def test_every_certificate_that_kubeadm_makes_is_ecdsa(payload: NativePayload, tmp_path: Path) -> None:
    made = await certificates(tmp_path, payload)
    found = sorted(made.directory.glob("pki/**/*.crt"))
    assert len(found) == 10
    for path in found:
        assert isinstance(x509.load_pem_x509_certificate(path.read_bytes()).public_key(), EllipticCurvePublicKey), path


async def test_the_api_servers_certificate_has_every_name(payload: NativePayload, tmp_path: Path) -> None:
    made = await certificates(tmp_path, payload)
    certificate = x509.load_pem_x509_certificate((made.directory / "pki/apiserver.crt").read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {"api.demo.example.com", "api-int.demo.example.com", "node0"} <= set(names.get_values_for_type(x509.DNSName))
    addresses = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
    assert {"192.0.2.10", "127.0.0.1", "172.30.0.1"} == addresses


@pytest.fixture
async def cluster(payload: NativePayload, tmp_path: Path) -> AsyncIterator[ControlPlane]:
    async with running(tmp_path, payload) as made:
        yield made


async def register(
    api: Kubernetes, *, boot_id: str, ready: bool, cidr: str = "", address: str = "192.0.2.10", role: str = "worker"
) -> None:
    """What a kubelet says of its node, and kubeadm of its role."""
    metadata = {"name": "node0", "labels": {f"node-role.kubernetes.io/{role}": ""}}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
    await api.apply(f"{NODES}/node0", {**node, "spec": {"podCIDR": cidr, "podCIDRs": [cidr]} if cidr else {}})
    status = {
        "conditions": [{"type": "Ready", "status": str(ready), "message": "words of the kubelet"}],
        "nodeInfo": {
            "bootID": boot_id, "machineID": "", "systemUUID": "", "kernelVersion": "", "osImage": "",
            "containerRuntimeVersion": "", "kubeletVersion": "", "kubeProxyVersion": "", "operatingSystem": "",
            "architecture": "",
        },
        "addresses": [{"type": "InternalIP", "address": address}],
    }  # fmt: skip
    await api.apply(f"{NODES}/node0/status", {**node, "status": status})


async def test_a_real_api_server_answers_node0s_questions(cluster: ControlPlane) -> None:
    """One test, because starting it takes seconds."""
    async with Kubernetes.from_kubeconfig(cluster.admin) as api, asyncio.timeout(SECONDS):
        await _a_config_map_is_made_and_made_again(api)
        await _a_node_is_waited_for(cluster, api)
        await _refusals_say_what_was_asked(cluster, api)
    await _the_booted_host_reports(cluster)


async def _a_config_map_is_made_and_made_again(api: Kubernetes) -> None:
    assert not await is_reached(api, Milestone.BOOTSTRAP_COMPLETE)
    for _ in range(2):
        await record(api, Milestone.BOOTSTRAP_COMPLETE)
    assert await is_reached(api, Milestone.BOOTSTRAP_COMPLETE)


async def _a_node_is_waited_for(cluster: ControlPlane, api: Kubernetes) -> None:
    """With the kubelet's own rights, which are all that a host has."""
    async with Kubernetes.from_kubeconfig(cluster.kubelet) as kubelet:
        ready = asyncio.create_task(wait_for_node(kubelet, "node0", FastClock(), lambda node: node.is_ready))
        await register(api, boot_id="1", ready=False, cidr="10.128.0.0/23")
        seen = await wait_for_node(kubelet, "node0", FastClock(), lambda node: True)
        assert not ready.done()
        await register(api, boot_id="1", ready=True, cidr="10.128.0.0/23")
        node = await ready
    assert seen.name == node.name == "node0"
    assert (node.spec.podCIDRs, node.addresses) == (("10.128.0.0/23",), ("192.0.2.10",))


async def _refusals_say_what_was_asked(cluster: ControlPlane, api: Kubernetes) -> None:
    with pytest.raises(ApiRefused, match="nowhere") as missing:
        await api.get("/api/v1/nodes/nowhere", Node)
    assert missing.value.status == 404
    async with Kubernetes.from_kubeconfig(cluster.kubelet) as kubelet:
        with pytest.raises(ApiRefused) as forbidden:
            await kubelet.get("/api/v1/namespaces/kube-system/configmaps", dict[str, object])
    assert forbidden.value.status == 403


async def _the_booted_host_reports(cluster: ControlPlane) -> None:
    """An old Ready is not believed; node0 that is away, and a control plane's own API server, are waited for."""
    machine = machine_in(cluster.directory / "host", hostname="Node0")
    machine.files.write(KUBELET_KUBECONFIG, cluster.kubelet.read_bytes())
    machine.files.write(BOOT_ID, "2\n")
    board = StatusBoard(machine, AgentStatus(phase=AgentPhase.WAITING_FOR_NODE0))
    tls = make_loopback_tls(cluster.directory)
    service = ScriptedService(tls)
    await service.start()
    await service.stop()
    installed = Installed(
        cluster_id=CLUSTER_ID,
        infra_env_id=INFRA_ENV_ID,
        host_id="1",
        role=InstallRole.BOOTSTRAP,
        boot_device="/dev/vda",
    )
    url = f"https://127.0.0.1:{service.port}"
    async with (
        asyncio.timeout(SECONDS),
        Client(url=url, tls=pinned_tls(tls.ca), token="host") as client,
        Kubernetes.from_kubeconfig(cluster.admin) as api,
    ):
        report = asyncio.create_task(
            report_stages(machine=machine, intent=intent(), installed=installed, board=board, client=client)
        )
        await service.start()
        assert (await service.progress.get()).current_stage is Stage.CONFIGURING
        await register(api, boot_id="2", ready=False)
        assert (await service.progress.get()).current_stage is Stage.JOINED
        await register(api, boot_id="2", ready=True)
        assert (await service.progress.get()).current_stage is Stage.DONE
        await report
        await register(api, boot_id="2", ready=True, address="127.0.0.1", role="control-plane")
        await report_stages(machine=machine, intent=intent(), installed=installed, board=board, client=client)
        reports = [await service.progress.get() for _ in range(4)]
        assert [report.progress_info for report in reports if report.current_stage is Stage.CONFIGURING] == [
            "",
            "waiting for this host's API server",
        ]
        assert [report.current_stage for report in reports[2:]] == [Stage.JOINED, Stage.DONE]
        service.refuse_with = 409
        await report_stages(machine=machine, intent=intent(), installed=installed, board=board, client=client)
    await service.stop()


async def test_a_missing_api_server_is_unreachable(payload: NativePayload, tmp_path: Path) -> None:
    made = await certificates(tmp_path, payload)
    made.admin.write_text(made.admin.read_text().replace(":6443", ":1"))
    async with Kubernetes.from_kubeconfig(made.admin) as api:
        with pytest.raises(ApiUnreachable, match=r"127\.0\.0\.1:1"):
            await api.get(NODES, msgspec.Raw)
        assert not await api.is_ready()


def test_a_file_that_is_no_kubeconfig_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "admin.conf").write_text("clusters: []\n")
    with pytest.raises(Problem) as caught:
        Kubernetes.from_kubeconfig(tmp_path / "admin.conf")
    assert caught.value.code == "kubeconfig-invalid"
