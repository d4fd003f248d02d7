"""Plans the next actions from the actual cluster and the intent. Pure functions."""

from __future__ import annotations

import msgspec

from agent.api.clusters import Cidr, Cluster, ClusterCreate, ClusterNetworkEntry, PlatformType, Vip
from agent.api.hosts import LATE, Host
from agent.api.infra_envs import InfraEnvCreate
from agent.model.intent import ClusterIntent, Platform
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus
from node0.create_cluster.actions import (
    Action,
    AddManifests,
    AwaitNodes,
    Finish,
    GiveUp,
    Installed,
    MarkNodes,
    RegisterCluster,
    RegisterInfraEnv,
    Wait,
)
from node0.create_cluster.actual import Actual
from node0.create_cluster.match import MatchedHost, match
from node0.create_cluster.start import approve, before_install

_BEFORE_INSTALL = frozenset({ClusterStatus.INSUFFICIENT, ClusterStatus.PENDING_FOR_INPUT, ClusterStatus.READY})


def plan(
    actual: Actual, intent: ClusterIntent, *, kubernetes_version: str, ready_for: float = 0.0
) -> tuple[Action, ...]:
    """The actions to take now, in order; never empty.

    kubernetes_version: "v1.35.3". ready_for: seconds for which the control plane has been ready.
    """
    if actual.cluster is None:
        return (RegisterCluster(_cluster(intent, kubernetes_version)),)
    if actual.infra_env is None:
        return (
            AddManifests(),
            RegisterInfraEnv(_infra_env(intent, kubernetes_version)),
        )
    status = actual.cluster.status
    if status in _BEFORE_INSTALL:
        return before_install(actual, actual.cluster, intent, ready_for)
    if status is ClusterStatus.CANCELLED:
        return (Wait(f"{status}: {actual.cluster.status_info}"),)
    if status.is_final and status is not ClusterStatus.INSTALLED:
        return (GiveUp(_failure(actual.cluster)),)
    matched = match(intent, actual.hosts).matched
    approvals = tuple(approve(found) for found in matched if not found.host.approved)
    if status is ClusterStatus.FINALIZING:
        return (*approvals, AwaitNodes(_nodes(actual.hosts)))
    if status is ClusterStatus.INSTALLED:
        return approvals or _after_install(actual, intent, matched)
    return approvals or (Wait(f"{status}: {actual.cluster.status_info}"),)


def _after_install(actual: Actual, intent: ClusterIntent, matched: tuple[MatchedHost, ...]) -> tuple[Action, ...]:
    """Mark the nodes of late hosts. Finish once no host of the inputs is missing: until then, it may still join."""
    installed = {found.intent.hostname for found in matched if found.intent and _is_installed(found.host)}
    missing = [host.hostname for host in intent.hosts if host.hostname not in installed]
    mark = MarkNodes(_nodes(tuple(host for host in actual.hosts if host.kind == LATE)))
    if not missing:
        return (mark, Finish())
    return (mark, Wait(f"The cluster is installed; {', '.join(missing)} may still join."))


def _nodes(hosts: tuple[Host, ...]) -> dict[str, Installed]:
    """Node name → installed host. Kubernetes writes the names of nodes in lower case."""
    installed = (host for host in hosts if _is_installed(host))
    return {host.requested_hostname.lower(): Installed(host.suggested_role, _labels(host)) for host in installed}


def _is_installed(host: Host) -> bool:
    return host.status is HostStatus.INSTALLED


def _labels(host: Host) -> dict[str, str]:
    return msgspec.json.decode(host.node_labels, type=dict[str, str]) if host.node_labels else {}


def _failure(cluster: Cluster) -> Problem:
    return Problem(
        code="install-failed",
        title=f"Cluster {cluster.name} is {cluster.status}: {cluster.status_info}",
        remedy="Correct the cause, and boot the hosts from the ISO again.",
    )


def _cluster(intent: ClusterIntent, kubernetes_version: str) -> ClusterCreate:
    return ClusterCreate(
        id=intent.cluster_id,
        name=intent.name,
        openshift_version=kubernetes_version,
        base_dns_domain=intent.base_domain,
        high_availability_mode="None" if intent.control_plane_replicas == 1 else "Full",
        control_plane_count=intent.control_plane_replicas,
        platform=PlatformType(type=intent.platform),
        cluster_networks=tuple(
            ClusterNetworkEntry(cidr=network.cidr, host_prefix=network.host_prefix)
            for network in intent.cluster_networks
        ),
        service_networks=tuple(Cidr(cidr=cidr) for cidr in intent.service_networks),
        machine_networks=tuple(Cidr(cidr=cidr) for cidr in intent.machine_networks),
        api_vips=(Vip(ip=intent.api_address),) if intent.platform is Platform.BAREMETAL else (),
        ssh_public_key="\n".join(intent.ssh_keys),
        additional_ntp_source=",".join(intent.ntp_sources),
    )


def _infra_env(intent: ClusterIntent, kubernetes_version: str) -> InfraEnvCreate:
    return InfraEnvCreate(
        id=intent.infra_env_id,
        name=intent.name,
        cluster_id=intent.cluster_id,
        openshift_version=kubernetes_version,
        ssh_authorized_key="\n".join(intent.ssh_keys),
        rendezvous_ip=intent.rendezvous_ip,
    )
