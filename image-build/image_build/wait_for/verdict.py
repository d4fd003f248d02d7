"""Is it over? Reached, failed for good, or neither yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from agent.api.problems import Problem
from agent.api.resources import Cluster
from agent.api.states import ClusterStatus, HostStatus
from image_build.wait_for.observation import KubernetesView, Observation
from image_build.wait_for.target import Target

SERVICE_ENDED_AFTER = 120.0
"""Seconds. node0's service ends itself some time after an install. When it has been gone this long while all nodes are
Ready, that has happened; it is back sooner than this after node0's reboot."""


class Goal(StrEnum):
    BOOTSTRAP_COMPLETE = "bootstrap-complete"
    INSTALL_COMPLETE = "install-complete"


@dataclass(frozen=True)
class History:
    """What earlier looks say: `bootstrapped` once seen stays true; `silent_since`: when the service was heard last."""

    bootstrapped: bool = False
    silent_since: float | None = None


def is_reached(goal: Goal, now: Observation, history: History, target: Target) -> bool:
    if goal is Goal.BOOTSTRAP_COMPLETE:
        return now.kubernetes.bootstrapped
    if not (now.kubernetes.bootstrapped and all_nodes_ready(now.kubernetes, target)):
        return False
    cluster = now.service.cluster
    if cluster is not None:
        return cluster.status is ClusterStatus.INSTALLED
    return history.silent_since is not None and now.at - history.silent_since >= SERVICE_ENDED_AFTER


def all_nodes_ready(kubernetes: KubernetesView, target: Target) -> bool:
    """Every host of the inputs is a node, and every node is Ready."""
    expected = {host.hostname for host in target.intent.hosts}
    names = {node.name for node in kubernetes.nodes}
    return bool(names) and expected <= names and all(node.ready for node in kubernetes.nodes)


def failure(now: Observation, history: History) -> Problem | None:
    """Why the install cannot succeed any more."""
    cluster = now.service.cluster
    if cluster is None or cluster.status not in {ClusterStatus.ERROR, ClusterStatus.CANCELLED}:
        return None
    bootstrapped = history.bootstrapped or now.kubernetes.bootstrapped
    return Problem(
        code="install-failed" if bootstrapped else "bootstrap-failed",
        title=f"The install of {cluster.name} has failed: {cluster.status_info}",
        detail="\n".join(_failed_hosts(cluster)),
        remedy="Remove the cause and boot every host from the ISO again; it starts over by itself. "
        "`journalctl -u cluster0-agent -u cluster0-bootstrap` on the host has the details.",
    )


def _failed_hosts(cluster: Cluster) -> list[str]:
    bad = {HostStatus.ERROR, HostStatus.CANCELLED, HostStatus.INSTALLING_PENDING_USER_ACTION}
    return [f"{host.requested_hostname or host.id}: {host.status_info}" for host in cluster.hosts if host.status in bad]
