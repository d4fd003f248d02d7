"""When waiting longer is of no use: only the user can end this phase, and it has not changed for a while.

The hosts do not give up: once the cause is removed, the user runs the command again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.api.clusters import Cluster
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.model.states import HostStatus
from client.observe.phase import InstallPhase, InstallStatus
from client.observe.presence import presence
from client.remote.checks import check_words, failing_checks
from client.remote.hosts import host_name
from node0.validations import CLUSTER_VALIDATIONS, HOST_VALIDATIONS
from node0.validations.engine.validation import Gate

_NEEDS_THE_USER = {Gate.HARDWARE, Gate.INPUT}

PERMANENT_CHECKS = frozenset(
    {validation.id for validation in HOST_VALIDATIONS if validation.gate in _NEEDS_THE_USER}
    | {validation.id for validation in CLUSTER_VALIDATIONS if validation.gate in _NEEDS_THE_USER}
)
"""Validations of hardware or inputs. Others (clocks, links, registrations) may still succeed by themselves."""


@dataclass(frozen=True)
class Limit:
    """A phase may last `seconds` without a change; then the wait ends with the problem `code`."""

    seconds: float
    code: str
    remedy: str


LIMITS = {
    InstallPhase.CHECKS_FAILING: Limit(
        300.0, "checks-failed", "Correct what the checks name; nothing has been written to any disk."
    ),
    InstallPhase.READY: Limit(
        900.0,
        "install-not-started",
        "node0's driver has not started the install: `journalctl -u cluster0-create-cluster` on node0 shows why.",
    ),
    InstallPhase.SERVICE_UNTRUSTED: Limit(
        600.0, "service-untrusted", "Boot the hosts from this directory's ISO, or name the directory of theirs."
    ),
    InstallPhase.API_UNREACHABLE: Limit(
        600.0, "api-unreachable", "Run the command where the API's address can be reached; the install is complete."
    ),
    InstallPhase.NEEDS_ATTENTION: Limit(
        1800.0, "hosts-need-attention", "Follow the remedies above, and run the command again: node0 waits for a day."
    ),
    InstallPhase.INSTALLED: Limit(
        120.0,
        "install-failed",
        "The cluster works without them. Booting them from the ISO while node0's service runs, or `cluster0 hosts "
        "retry HOST`, lets them join; `--nodes control-plane` requires the control plane alone.",
    ),
}


class StallDetector:
    """Remembers since when nothing has changed. Times are seconds on a monotonic clock."""

    def __init__(self) -> None:
        self._last: tuple[InstallPhase, frozenset[tuple[str, str]]] | None = None
        self._since = 0.0

    def problem(
        self, status: InstallStatus, cluster: Cluster | None, intent: ClusterIntent, at: float
    ) -> Problem | None:
        """The reason to stop waiting, once there is one."""
        find_causes = _CAUSES.get(status.phase)
        causes = find_causes(cluster, intent) if find_causes and cluster else {}
        current = (status.phase, frozenset(causes))
        if current != self._last:
            self._last, self._since = current, at
        limit = LIMITS.get(status.phase)
        if limit is None or at - self._since < limit.seconds:
            return None
        if find_causes and not causes:
            return None
        minutes = limit.seconds / 60
        return Problem(
            code=limit.code,
            title=f"Nothing has changed for {minutes:g} minutes, and nothing will by itself: {status.detail}",
            detail="\n".join(causes.values()),
            remedy=limit.remedy,
        )


def permanent_failures(cluster: Cluster, _intent: ClusterIntent) -> dict[tuple[str, str], str]:
    """(host, check) → a sentence, for the validations that fail until the user acts."""
    bad = failing_checks(cluster)
    return {key: check_words(key, verdict) for key, verdict in bad.items() if verdict.id in PERMANENT_CHECKS}


def stuck_hosts(cluster: Cluster, _intent: ClusterIntent) -> dict[tuple[str, str], str]:
    """(host, its state) → why it does not continue by itself."""
    stuck = (host for host in cluster.hosts if host.status in (_BAD | _NOT_ADMITTED if host.approved else _BAD))
    return {(host_name(host), str(host.status)): f"{host_name(host)}: {host.status_info}" for host in stuck}


def hosts_left_out(cluster: Cluster, intent: ClusterIntent) -> dict[tuple[str, str], str]:
    """(host, its state) → why it did not become a node with the others, and will not by itself."""
    missing = {(host.hostname, ""): f"{host.hostname}: it has not registered."
               for host in presence(cluster, intent).missing}  # fmt: skip
    return stuck_hosts(cluster, intent) | missing


_BAD = {HostStatus.ERROR, HostStatus.CANCELLED, HostStatus.INSTALLING_PENDING_USER_ACTION}
_NOT_ADMITTED = {HostStatus.DISCONNECTED, HostStatus.INSUFFICIENT, HostStatus.PENDING_FOR_INPUT}

_CAUSES: dict[InstallPhase, Callable[[Cluster, ClusterIntent], dict[tuple[str, str], str]]] = {
    InstallPhase.CHECKS_FAILING: permanent_failures,
    InstallPhase.NEEDS_ATTENTION: stuck_hosts,
    InstallPhase.INSTALLED: hosts_left_out,
}
"""In these phases only such causes make a stall; in all others their duration is enough."""
