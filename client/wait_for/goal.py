"""The goal of a wait: whether it is reached, or can no longer be reached."""

from __future__ import annotations

from enum import StrEnum

from agent.api.clusters import Cluster
from agent.model.intent import Role
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus
from client.observe.observation import KubernetesView, Observation
from client.remote.hosts import host_name
from client.remote.target import Target


class Goal(StrEnum):
    BOOTSTRAP_COMPLETE = "bootstrap-complete"
    INSTALL_COMPLETE = "install-complete"


class Required(StrEnum):
    """Which hosts of the inputs have to be Ready nodes at the end."""

    ALL = "all"
    CONTROL_PLANE = "control-plane"


def is_reached(goal: Goal, required: Required, now: Observation, target: Target) -> bool:
    """Without node0's service (it reboots, or has ended) the cluster's own record decides, not the nodes: these stay
    Ready for a while after a host has gone down."""
    if goal is Goal.BOOTSTRAP_COMPLETE:
        return now.kubernetes.bootstrapped
    if not (now.kubernetes.bootstrapped and nodes_ready(required, now.kubernetes, target)):
        return False
    cluster = now.service.cluster
    if cluster is not None:
        return cluster.status is ClusterStatus.INSTALLED or (
            required is Required.CONTROL_PLANE and _control_plane_is_done(cluster)
        )
    return now.kubernetes.installed


def nodes_ready(required: Required, kubernetes: KubernetesView, target: Target) -> bool:
    """ALL: every host of the inputs is a node, and every node is Ready."""
    if required is Required.CONTROL_PLANE:
        ready = [node for node in kubernetes.nodes if node.control_plane and node.ready]
        return len(ready) >= target.intent.control_plane_replicas
    expected = {host.hostname for host in target.intent.hosts}
    names = {node.name for node in kubernetes.nodes}
    return bool(names) and expected <= names and all(node.ready for node in kubernetes.nodes)


def _control_plane_is_done(cluster: Cluster) -> bool:
    """Ready is not enough: a node may be Ready in the live system, before its reboot."""
    masters = [host for host in cluster.hosts if host.suggested_role is Role.MASTER]
    return bool(masters) and all(host.status is HostStatus.INSTALLED for host in masters)


def failure(now: Observation, *, bootstrapped: bool) -> Problem | None:
    """Why the install cannot succeed any more. `bootstrapped`: whether it was at any observation."""
    cluster = now.service.cluster
    if cluster is None or cluster.status not in {ClusterStatus.ERROR, ClusterStatus.CANCELLED}:
        return None
    return Problem(
        code="install-failed" if bootstrapped else "bootstrap-failed",
        title=f"The install of {cluster.name} has failed: {cluster.status_info}",
        detail="\n".join(_failed_hosts(cluster)),
        remedy="Remove the cause and boot every host from the ISO again; it starts over by itself. "
        "`journalctl -u cluster0-agent -u cluster0-bootstrap` on the host has the details.",
    )


def _failed_hosts(cluster: Cluster) -> list[str]:
    bad = {HostStatus.ERROR, HostStatus.CANCELLED, HostStatus.INSTALLING_PENDING_USER_ACTION}
    return [f"{host_name(host)}: {host.status_info}" for host in cluster.hosts if host.status in bad]
