"""A host becomes a node: the real API server and controller manager, the real store, and our issuer."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from agent.api.join import JoinCredential
from agent.kubernetes.client import ApiRefused, Kubernetes
from agent.kubernetes.nodes import NODES
from agent.machine import Machine
from agent.model.host_paths import NODE0_DIRECTORY
from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.changes.joining import enter_etcd, record_vote
from node0.join.certificate_request import REQUESTS, CertificateRequest
from node0.join.credential_issuer import JoinCredentialIssuer
from node0.join.token import secret_path
from node0.reconcile.state_manager import StateManager
from node0.refusals import Conflict
from node0.store.records import HostRecord
from node0.store.store import Store
from tests.fakes.agent.agent import inventory
from tests.fakes.agent.machine import machine_in
from tests.fakes.inputs.intents import intent
from tests.fakes.kubernetes.kubelet import ask_to_sign, bearer, put_node
from tests.fakes.kubernetes.native_control_plane import ControlPlane, cached_payload, running
from tests.fakes.node0.records import INFRA_ENV_ID, at_stage, host, site

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

SECONDS = 60


def joining(number: int, role: Role) -> HostRecord:
    """host<number>, started from its disk."""
    name = f"Host{number}"
    return host(
        HostStatus.INSTALLING_IN_PROGRESS,
        id=f"00000000-0000-4000-8000-00000000000{number}",
        role=role,
        suggested_role=role,
        requested_hostname=name,
        stage=at_stage(Stage.CONFIGURING),
        inventory=inventory(address=f"127.0.0.{number}", hostname=name),
    )


LEADER = msgspec.structs.replace(joining(1, Role.MASTER), bootstrap=True, stage=at_stage(Stage.WAITING_FOR_CONTROLLER))
MASTER, OTHER_MASTER, WORKER = joining(2, Role.MASTER), joining(3, Role.MASTER), joining(4, Role.WORKER)


@dataclass(frozen=True)
class Scene:
    cluster: ControlPlane
    state_manager: StateManager
    issuer: JoinCredentialIssuer
    admin: Kubernetes

    async def mint(self, record: HostRecord) -> JoinCredential:
        return await self.issuer.issue(INFRA_ENV_ID, record.id)

    async def follow(self, name: str, until: str) -> CertificateRequest:
        """The request called `name`, once the property `until` holds."""
        async with contextlib.aclosing(self.admin.follow(REQUESTS, CertificateRequest)) as changes:
            async for requests in changes:
                for request in requests:
                    if request.metadata.name == name and getattr(request, until):
                        return request
        raise AssertionError("a watch never ends")


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    payload = cached_payload()
    store = Store(tmp_path / "node0.db")
    # Without a controller manager: nothing else signs.
    async with running(tmp_path, payload) as cluster:
        await store.open()
        machine = node0_machine(tmp_path, cluster)
        records = site(LEADER, MASTER, OTHER_MASTER, WORKER, status=ClusterStatus.INSTALLING)
        state_manager = StateManager(store=store, records=records, clock=machine.clock)
        issuer = JoinCredentialIssuer(state_manager=state_manager, machine=machine, intent=the_intent())
        async with Kubernetes.from_kubeconfig(cluster.admin) as admin:
            approving = asyncio.create_task(issuer.approve_requests())
            yield Scene(cluster, state_manager, issuer, admin)
            approving.cancel()
            await asyncio.gather(approving, return_exceptions=True)
        await store.close()


def the_intent() -> Any:
    return msgspec.structs.replace(intent(), api_address="127.0.0.1", machine_networks=("127.0.0.0/8",))


def node0_machine(directory: Path, cluster: ControlPlane) -> Machine:
    machine = machine_in(directory / "node0", hostname="host1")
    machine.files.write(f"{NODE0_DIRECTORY}/admin.conf", cluster.admin.read_bytes(), mode=0o600)
    for name in ("ca.crt", "ca.key", "etcd/ca.key"):
        machine.files.write(f"{NODE0_DIRECTORY}/pki/{name}", (cluster.directory / "pki" / name).read_bytes())
    return machine


async def test_a_host_joins_with_its_credential_and_becomes_a_node(scene: Scene) -> None:
    """One test, because starting the API server takes seconds."""
    async with asyncio.timeout(SECONDS):
        await _an_earlier_installs_node_goes_with_the_first_credential_and_no_other(scene)
        await _control_planes_enter_etcd_one_at_a_time_and_join_at_once(scene)
        await _a_credential_does_what_a_join_needs_and_no_more(scene)
        await _another_nodes_name_is_not_signed(scene)
        await _the_hosts_own_name_is_signed_once(scene)


async def _an_earlier_installs_node_goes_with_the_first_credential_and_no_other(scene: Scene) -> None:
    await put_node(scene.admin, "host4", ready=True)
    await scene.mint(WORKER)
    with pytest.raises(ApiRefused) as gone:
        await scene.admin.get(f"{NODES}/host4", dict[str, object])
    assert gone.value.status == 404
    await put_node(scene.admin, "host4", ready=True)
    await scene.mint(WORKER)
    await scene.admin.get(f"{NODES}/host4", dict[str, object])


async def _control_planes_enter_etcd_one_at_a_time_and_join_at_once(scene: Scene) -> None:
    credential = await scene.mint(MASTER)
    assert (credential.node_name, credential.address) == ("host2", "127.0.0.2")
    assert set(credential.control_plane_files) == {"ca.crt", "ca.key", "etcd/ca.key"}
    assert (await scene.mint(WORKER)).control_plane_files == {}
    await scene.mint(OTHER_MASTER)
    await scene.state_manager.apply(enter_etcd(INFRA_ENV_ID, MASTER.id))
    with pytest.raises(Conflict, match="waiting for Host2 to enter etcd first"):
        await scene.state_manager.apply(enter_etcd(INFRA_ENV_ID, OTHER_MASTER.id))
    await scene.mint(MASTER)  # of another attempt: its turn stays
    with pytest.raises(Conflict, match="waiting for Host2 to enter etcd first"):
        await scene.state_manager.apply(enter_etcd(INFRA_ENV_ID, OTHER_MASTER.id))
    await scene.state_manager.apply(record_vote(INFRA_ENV_ID, MASTER.id))
    await scene.state_manager.apply(enter_etcd(INFRA_ENV_ID, OTHER_MASTER.id))


async def _a_credential_does_what_a_join_needs_and_no_more(scene: Scene) -> None:
    credential = await scene.mint(WORKER)
    configs = "/api/v1/namespaces/kube-system/configmaps"
    async with bearer(scene.cluster, credential.token) as session:
        for path, status in (
            (f"{configs}/kubeadm-config", 404),
            ("/api/v1/nodes/unknown", 404),
            (f"{configs}/extension-apiserver-authentication", 403),
            ("/api/v1/namespaces/kube-system/secrets", 403),
        ):
            async with session.get(path) as response:
                assert response.status == status, path


async def _another_nodes_name_is_not_signed(scene: Scene) -> None:
    async with bearer(scene.cluster, (await scene.mint(WORKER)).token) as session:
        assert await ask_to_sign(session, "forged", "host1") == 201
    refused = await scene.follow("forged", "is_decided")
    assert [condition.type for condition in refused.status.conditions] == ["Denied"]
    assert not refused.is_issued


async def _the_hosts_own_name_is_signed_once(scene: Scene) -> None:
    credential = await scene.mint(WORKER)
    async with bearer(scene.cluster, credential.token) as session:
        assert await ask_to_sign(session, "honest", "host4") == 201
    issued = await scene.follow("honest", "is_issued")
    certificate = x509.load_pem_x509_certificate(base64.b64decode(issued.status.certificate))
    assert certificate.subject.rfc4514_string() == "CN=system:node:host4,O=system:nodes"
    authority = x509.load_pem_x509_certificate((scene.cluster.directory / "pki/ca.crt").read_bytes())
    certificate.verify_directly_issued_by(authority)
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    await until_used(scene.state_manager, WORKER.id)
    with pytest.raises(ApiRefused) as gone:
        await scene.admin.get(secret_path(credential.token.partition(".")[0]), dict[str, object])
    assert gone.value.status == 404


async def until_used(state_manager: StateManager, host_id: str) -> None:
    while True:
        seen, join = state_manager.changes, state_manager.records.hosts[host_id].join
        if join is not None and join.is_used:
            return
        await state_manager.next_change(seen)
