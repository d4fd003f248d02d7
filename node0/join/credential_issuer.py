"""Issues join credentials, approves the certificate requests that hosts make with them, and signs them."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from datetime import timedelta
from ipaddress import ip_address, ip_interface, ip_network

from agent.api.join import JoinCredential
from agent.kubernetes.client import ApiRefused, ApiUnreachable, Kubernetes
from agent.kubernetes.nodes import NODES
from agent.machine.machine import Machine
from agent.model import host_paths
from agent.model.endpoints import ETCD_PORT, endpoint
from agent.model.intent import ClusterIntent
from node0.changes import joining
from node0.join import rights
from node0.join.certificate_request import REQUESTS, CertificateRequest, Decision, decide
from node0.join.token import BootstrapToken, secret_path
from node0.reconcile.state_manager import StateManager
from node0.refusals import Conflict, Unavailable
from node0.store.records import HostRecord

log = logging.getLogger(__name__)

# Longer than one attempt (`agent.kubeadm.join.JOIN_SECONDS`).
LIFETIME = timedelta(minutes=35)
PKI = f"{host_paths.NODE0_DIRECTORY}/pki"
_SECONDS_BEFORE_RETRY = 2.0


class JoinCredentialIssuer:
    """Issues credentials to the hosts of one cluster. With the first one it creates the RBAC objects that all need.

    `intent` gives the address of the Kubernetes API, and whether control-plane nodes run workloads.
    """

    def __init__(self, *, state_manager: StateManager, machine: Machine, intent: ClusterIntent) -> None:
        self._state_manager = state_manager
        self._machine = machine
        self._intent = intent
        self._has_rights = False

    async def issue(self, infra_env_id: str, host_id: str) -> JoinCredential:
        """A new credential for the host; its previous one becomes invalid.

        Raises `Conflict` (`join-not-yet`) while the control plane is not up, or the API server does not answer.
        """
        host = self._state_manager.records.get_host(infra_env_id, host_id)
        joining.check_may_join(host, self._state_manager.records)
        token = BootstrapToken.make(self._machine.clock.now() + LIFETIME)
        try:
            await self._publish(token, host)
        except (ApiUnreachable, ApiRefused) as problem:
            raise Conflict(code="join-not-yet", title=f"waiting for the Kubernetes API: {problem.title}") from problem
        # After `_publish`, which removes an old Node: it does so only while no credential is recorded.
        await self._state_manager.apply(joining.issue(infra_env_id, host_id, token.id, token.expires_at))
        issued_to = self._state_manager.records.get_host(infra_env_id, host_id)
        return await asyncio.to_thread(self._credential, issued_to, token)

    async def _publish(self, token: BootstrapToken, host: HostRecord) -> None:
        """Create the token's Secret. Before that, delete the Secret of the host's previous token.

        Before its first token, delete a Node of the host's name instead: an earlier install left it, and kubeadm
        refuses to join under the name of a Node that is still Ready.
        """
        cluster = self._state_manager.records.cluster
        assert cluster is not None, "a joining host belongs to a cluster"
        async with self._connect() as api:
            if not self._has_rights:
                for path, manifest in rights.manifests(cluster.spec.openshift_version).items():
                    await api.apply(path, manifest)
                self._has_rights = True
            if host.join is None:
                await api.delete(f"{NODES}/{node_name(host)}")
            else:
                await api.delete(secret_path(host.join.token_id))
            await api.apply(secret_path(token.id), token.manifest(host.label))

    def _credential(self, host: HostRecord, token: BootstrapToken) -> JoinCredential:
        authorities = self._machine.files.at(PKI)
        files = [path for path in sorted(authorities.rglob("*")) if path.is_file()] if host.is_control_plane else []
        return JoinCredential(
            api_endpoint=endpoint(self._intent.api_address),
            ca_certificate=(authorities / "ca.crt").read_text(),
            token=token.text,
            expires_at=token.expires_at.isoformat(),
            node_name=node_name(host),
            address=machine_address(host, _node_networks(self._intent)),
            control_plane_files={str(path.relative_to(authorities)): path.read_text() for path in files},
            etcd_endpoint=self._bootstrap_etcd_endpoint() if host.is_control_plane else "",
            schedulable=self._intent.worker_replicas == 0,
        )

    def _bootstrap_etcd_endpoint(self) -> str:
        bootstrap = next(host for host in self._state_manager.records.hosts.values() if host.bootstrap)
        return endpoint(machine_address(bootstrap, self._intent.machine_networks), ETCD_PORT)

    async def approve_requests(self) -> None:
        """Approve or deny requests until cancelled. Sends nothing to Kubernetes while no credential is outstanding."""
        while True:
            seen = self._state_manager.changes
            if not self._outstanding():
                await self._state_manager.next_change(seen)
                continue
            try:
                await self._follow_requests()
            except (ApiUnreachable, ApiRefused, Unavailable) as problem:
                log.info("%s", problem.title)
                await self._machine.clock.sleep(_SECONDS_BEFORE_RETRY)

    async def _follow_requests(self) -> None:
        async with self._connect() as api, aclosing(api.follow(REQUESTS, CertificateRequest)) as changes:
            async for requests in changes:
                for request in requests:
                    await self._process(api, request)

    async def _process(self, api: Kubernetes, request: CertificateRequest) -> None:
        holders = self._outstanding()
        holder = holders.get(request.token_id)
        if holder is None:
            return
        if request.is_issued:
            await api.delete(secret_path(request.token_id))
            await self._state_manager.apply(joining.record_use(holder.infra_env_id, holder.id))
            return
        decision, reason = decide(request, {token: node_name(host) for token, host in holders.items()})
        if decision is Decision.NOT_OURS:
            return
        approved = decision is Decision.APPROVE
        await api.merge(f"{REQUESTS}/{request.metadata.name}/approval", _condition(approved, reason))
        await self._state_manager.apply(
            joining.record_decision(holder.infra_env_id, holder.id, approved=approved, reason=reason)
        )
        if approved:
            await self._sign(api, request)

    async def _sign(self, api: Kubernetes, request: CertificateRequest) -> None:
        # Imported with the first request, to spare the start of the service.
        from node0.join.signer import sign

        pki, now = self._machine.files.at(PKI), self._machine.clock.now()
        try:
            certificate = await asyncio.to_thread(sign, request, pki, now)
        except (OSError, ValueError) as error:
            log.warning("The controller manager signs the request %s: %s", request.metadata.name, error)
            return
        await api.merge(f"{REQUESTS}/{request.metadata.name}/status", {"status": {"certificate": certificate}})

    def _outstanding(self) -> dict[str, HostRecord]:
        """Token id → host, of every credential that was not used yet."""
        return {
            host.join.token_id: host
            for host in self._state_manager.records.hosts.values()
            if host.join is not None and not host.join.is_used
        }

    def _connect(self) -> Kubernetes:
        return Kubernetes.from_kubeconfig(self._machine.files.at(host_paths.NODE0_KUBECONFIG))


def node_name(host: HostRecord) -> str:
    """The host's name as a Node: the kubelet uses lower case."""
    return host.hostname.lower()


def _node_networks(intent: ClusterIntent) -> tuple[str, ...]:
    """The machine networks, those of the control plane's IP family first."""
    family = ip_address(intent.rendezvous_ip).version
    return tuple(sorted(intent.machine_networks, key=lambda cidr: ip_network(cidr).version != family))


def machine_address(host: HostRecord, networks: tuple[str, ...]) -> str:
    """The host's first address in `networks` (CIDRs, in order of preference), without prefix length.

    Raises `Conflict` (`join-not-yet`) without any, which the validations before the install normally exclude.
    """
    assert host.inventory is not None
    for cidr in networks:
        for interface in host.inventory.interfaces:
            for address in interface.ipv4_addresses + interface.ipv6_addresses:
                if ip_interface(address).ip in ip_network(cidr):
                    return address.partition("/")[0]
    raise Conflict(code="join-not-yet", title=f"{host.label} has no address in {', '.join(networks)}")


def _condition(approved: bool, reason: str) -> dict[str, object]:
    condition = {
        "type": "Approved" if approved else "Denied",
        "status": "True",
        "reason": "JoinCredential",
        "message": f"cluster0: {reason}",
    }
    return {"status": {"conditions": [condition]}}
