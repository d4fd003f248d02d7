"""From what there is and what was asked for to what to do next. Pure: the same look gives the same plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from agent.api import resources as r
from agent.api.intent import ClusterIntent, HostIntent, Platform, Role
from agent.api.parts import Vip
from agent.api.problems import Problem
from agent.api.states import ClusterStatus, HostStatus
from node0.create_cluster.actual import Actual
from node0.create_cluster.match import Matched, Stranger, match


@dataclass(frozen=True)
class RegisterCluster:
    body: r.ClusterCreate


@dataclass(frozen=True)
class AddManifests:
    """Hand those that came with the ISO to the service. Before the infra-env, which says that this has been done."""


@dataclass(frozen=True)
class RegisterInfraEnv:
    body: r.InfraEnvCreate


@dataclass(frozen=True)
class DecideHost:
    """Say who the host becomes, and that it takes part."""

    host_id: str
    body: r.HostUpdate
    why: str


@dataclass(frozen=True)
class StartInstall:
    pass


@dataclass(frozen=True)
class AwaitNodes:
    """Every host is installed: see that Kubernetes says so too, and complete the install. Name of a node → its role."""

    nodes: dict[str, Role]


@dataclass(frozen=True)
class Wait:
    """Nothing to do until something changes."""

    why: str


@dataclass(frozen=True)
class Finish:
    """The cluster is installed."""


@dataclass(frozen=True)
class GiveUp:
    problem: Problem


Action = (
    RegisterCluster | AddManifests | RegisterInfraEnv | DecideHost | StartInstall | AwaitNodes | Wait | Finish | GiveUp
)

_BEFORE = frozenset({ClusterStatus.INSUFFICIENT, ClusterStatus.PENDING_FOR_INPUT, ClusterStatus.READY})


def plan(actual: Actual, intent: ClusterIntent, *, kubernetes_version: str) -> tuple[Action, ...]:
    """What to do now, in order; never empty."""
    if actual.cluster is None:
        return (RegisterCluster(_cluster(intent, kubernetes_version)),)
    if actual.infra_env is None:
        return (
            AddManifests(),
            RegisterInfraEnv(_infra_env(intent, kubernetes_version)),
        )
    status = actual.cluster.status
    if status in _BEFORE:
        return _before_install(actual, actual.cluster, intent)
    if status is ClusterStatus.FINALIZING:
        return (AwaitNodes(_installed_nodes(actual.hosts)),)
    if status is ClusterStatus.INSTALLED:
        return (Finish(),)
    if status is ClusterStatus.CANCELLED:
        return (Wait(f"{status}: {actual.cluster.status_info}"),)
    if status.is_final:
        return (GiveUp(_failure(actual.cluster)),)
    return (Wait(f"{status}: {actual.cluster.status_info}"),)


def _before_install(actual: Actual, cluster: r.Cluster, intent: ClusterIntent) -> tuple[Action, ...]:
    matches = match(intent, actual.hosts)
    decisions = [_decide(found) for found in matches if isinstance(found, Matched) and not found.host.approved]
    if decisions:
        return tuple(decisions)
    missing = _missing(matches, intent)
    if cluster.status is ClusterStatus.READY and not missing:
        return (StartInstall(),)
    waited_for = f"Not ready yet: {', '.join(missing)}. " if missing else ""
    strangers = [f" {_left_out(found)}" for found in matches if isinstance(found, Stranger)]
    return (Wait(f"{waited_for}{cluster.status_info}{''.join(strangers)}"),)


def _missing(matches: list[Matched | Stranger], intent: ClusterIntent) -> list[str]:
    """What the inputs ask for and is not ready: names of hosts, or how many of a role where they list no hosts.

    Nobody stands in for a host of the inputs, whoever has approved it.
    """
    ready = [
        found
        for found in matches
        if isinstance(found, Matched) and found.host.approved and found.host.status is HostStatus.KNOWN
    ]
    if intent.hosts:
        there = [found.wanted for found in ready]
        return [host.hostname for host in intent.hosts if host not in there]
    roles = Counter(found.host.suggested_role for found in ready)
    counts = {Role.MASTER: intent.control_plane_replicas, Role.WORKER: intent.worker_replicas}
    return [f"{count - roles[role]} of {count} {role}s" for role, count in counts.items() if roles[role] < count]


def _left_out(stranger: Stranger) -> str:
    if stranger.host.approved:
        return f"Host {stranger.host.id} takes part because somebody approved it, but {stranger.why}."
    return f"Host {stranger.host.id} is left out: {stranger.why}."


def _decide(found: Matched) -> DecideHost:
    if found.wanted is None:
        return DecideHost(found.host.id, r.HostUpdate(approved=True), "the inputs list no hosts: all take part")
    return DecideHost(found.host.id, _decision(found.wanted), f"it is {found.wanted.hostname} by its MACs")


def _decision(wanted: HostIntent) -> r.HostUpdate:
    return r.HostUpdate(
        host_role=wanted.role,
        host_name=wanted.hostname,
        root_device_hints=wanted.root_device_hints,
        approved=True,
    )


def _installed_nodes(hosts: tuple[r.Host, ...]) -> dict[str, Role]:
    """Kubernetes writes names in lower case."""
    installed = (host for host in hosts if host.status is HostStatus.INSTALLED)
    return {host.requested_hostname.lower(): host.suggested_role for host in installed}


def _failure(cluster: r.Cluster) -> Problem:
    return Problem(
        code="install-failed",
        title=f"Cluster {cluster.name} is {cluster.status}: {cluster.status_info}",
        remedy="Correct what it names, and boot the hosts from the ISO again.",
    )


def _cluster(intent: ClusterIntent, kubernetes_version: str) -> r.ClusterCreate:
    return r.ClusterCreate(
        id=intent.cluster_id,
        name=intent.name,
        openshift_version=kubernetes_version,
        base_dns_domain=intent.base_domain,
        high_availability_mode="None" if intent.control_plane_replicas == 1 else "Full",
        control_plane_count=intent.control_plane_replicas,
        platform=r.PlatformType(type=intent.platform),
        cluster_networks=tuple(
            r.ClusterNetworkEntry(cidr=network.cidr, host_prefix=network.host_prefix)
            for network in intent.cluster_networks
        ),
        service_networks=tuple(r.Cidr(cidr=cidr) for cidr in intent.service_networks),
        machine_networks=tuple(r.Cidr(cidr=cidr) for cidr in intent.machine_networks),
        api_vips=(Vip(ip=intent.api_address),) if intent.platform is Platform.BAREMETAL else (),
        ssh_public_key="\n".join(intent.ssh_keys),
        additional_ntp_source=",".join(intent.ntp_sources),
    )


def _infra_env(intent: ClusterIntent, kubernetes_version: str) -> r.InfraEnvCreate:
    return r.InfraEnvCreate(
        id=intent.infra_env_id,
        name=intent.name,
        cluster_id=intent.cluster_id,
        openshift_version=kubernetes_version,
        ssh_authorized_key="\n".join(intent.ssh_keys),
        rendezvous_ip=intent.rendezvous_ip,
    )
