"""The phase of the install: one word, one sentence, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agent.api.clusters import Cluster
from agent.api.hosts import Host
from agent.model.endpoints import api_url
from agent.model.states import ClusterStatus, HostStatus, Stage
from client.observe.observation import KubernetesView, Observation, Reach
from client.observe.presence import presence
from client.remote.hosts import host_name
from client.remote.target import Target


class InstallPhase(StrEnum):
    """Part of the JSON output's contract, where the field is called `situation`."""

    ADDRESS_UNREACHABLE = "address-unreachable"
    SERVICE_DOWN = "service-down"
    SERVICE_UNTRUSTED = "service-untrusted"
    WAITING_FOR_HOSTS = "waiting-for-hosts"
    CHECKS_FAILING = "checks-failing"
    READY = "ready"
    INSTALLING = "installing"
    NEEDS_ATTENTION = "needs-attention"
    NODE0_REBOOTING = "node0-rebooting"
    FINALIZING = "finalizing"
    API_UNREACHABLE = "api-unreachable"
    INSTALLED = "installed"
    FAILED = "failed"


@dataclass(frozen=True)
class InstallStatus:
    """`detail`: a sentence that names hosts and values; `remedy` may be empty."""

    phase: InstallPhase
    detail: str
    remedy: str = ""


_AFTER_REBOOT = {Stage.REBOOTING, Stage.CONFIGURING, Stage.JOINED, Stage.DONE}

_BEFORE = {ClusterStatus.INSUFFICIENT, ClusterStatus.PENDING_FOR_INPUT, ClusterStatus.READY}

# States of the cluster that determine the phase; the sentence is `status_info`.
_BY_STATUS = {
    ClusterStatus.READY: InstallPhase.READY,
    ClusterStatus.PREPARING_FOR_INSTALLATION: InstallPhase.READY,
    ClusterStatus.INSTALLING: InstallPhase.INSTALLING,
    ClusterStatus.INSTALLING_PENDING_USER_ACTION: InstallPhase.NEEDS_ATTENTION,
    ClusterStatus.FINALIZING: InstallPhase.FINALIZING,
    ClusterStatus.INSTALLED: InstallPhase.INSTALLED,
    ClusterStatus.ERROR: InstallPhase.FAILED,
    ClusterStatus.CANCELLED: InstallPhase.FAILED,
}


def install_status(now: Observation, last_seen: Cluster | None, target: Target) -> InstallStatus:
    """`last_seen`: the cluster as node0's service reported it last, maybe some time ago."""
    if now.service.reach is not Reach.ANSWERS:
        return _unreachable(now, last_seen, target)
    cluster = now.service.cluster
    if cluster is None:
        return InstallStatus(
            InstallPhase.WAITING_FOR_HOSTS, "node0's service is up; the cluster is not registered yet."
        )
    absent = _absent(cluster, target) if cluster.status in _BEFORE else None
    if absent is not None:
        return absent
    if cluster.status is ClusterStatus.INSTALLED and not now.kubernetes.answers:
        return _out_of_reach(now.kubernetes, target)
    if cluster.status in _BY_STATUS:
        return InstallStatus(_BY_STATUS[cluster.status], cluster.status_info)
    return InstallStatus(InstallPhase.CHECKS_FAILING, cluster.status_info)


def node0_is_rebooting(cluster: Cluster | None) -> bool:
    """Whether no answer is expected: node0 reported its reboot and has not answered since."""
    if cluster is None or cluster.status.is_final:
        return False
    leaders = [host for host in cluster.hosts if host.bootstrap]
    return any(host.progress.current_stage in _AFTER_REBOOT for host in leaders)


def _unreachable(now: Observation, last_seen: Cluster | None, target: Target) -> InstallStatus:
    node0 = f"node0 ({target.address})"
    if node0_is_rebooting(last_seen):
        return InstallStatus(
            InstallPhase.NODE0_REBOOTING, f"{node0} reboots into the installed system; it comes back by itself."
        )
    if now.service.reach is Reach.UNTRUSTED:
        return InstallStatus(
            InstallPhase.SERVICE_UNTRUSTED,
            f"{node0} answers with a certificate that is not of this directory's ISO. {now.service.why}",
            "Boot the hosts from the ISO in this directory, or name the directory of the ISO they booted.",
        )
    if now.service.reach is Reach.REFUSED or now.kubernetes.answers:
        return InstallStatus(
            InstallPhase.SERVICE_DOWN,
            f"{node0} is up, but its service does not answer. {now.service.why}",
            "It starts within a minute of the host; if it does not, the host's console shows why.",
        )
    return InstallStatus(
        InstallPhase.ADDRESS_UNREACHABLE,
        f"{node0} cannot be reached. {now.service.why}",
        "Is the host on and booted from the ISO, and does a route lead there? Its console shows its addresses.",
    )


def _out_of_reach(kubernetes: KubernetesView, target: Target) -> InstallStatus:
    """node0 has seen every node Ready: the fault is between the cluster and this computer."""
    return InstallStatus(
        InstallPhase.API_UNREACHABLE,
        f"node0 reports that the cluster is installed, but its API does not answer this computer. {kubernetes.why}",
        f"Does a route lead from here to {api_url(target.intent.api_address)}, and do firewalls let us through?",
    )


def _absent(cluster: Cluster, target: Target) -> InstallStatus | None:
    """The hosts that the install waits for, even when all others are ready."""
    here = presence(cluster, target.intent)
    if here.missing:
        names = ", ".join(f"{host.hostname} ({', '.join(nic.mac for nic in host.interfaces)})" for host in here.missing)
        return InstallStatus(
            InstallPhase.WAITING_FOR_HOSTS,
            " ".join((f"These hosts have not registered: {names}.", *here.unmatched)),
            "Boot them from the ISO; a host that has booted shows on its console why it is not here.",
        )
    waiting = [host for host in cluster.hosts if host.status is HostStatus.DISCOVERING]
    if waiting:
        return InstallStatus(InstallPhase.WAITING_FOR_HOSTS, f"Waiting for the inventory of {_names(waiting)}.")
    return None


def _names(hosts: list[Host]) -> str:
    return ", ".join(map(host_name, hosts))
