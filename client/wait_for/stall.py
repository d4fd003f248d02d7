"""When waiting longer is of no use: a situation that only a person can change, and nobody has for a while.

Nothing is given up on the hosts: whoever has removed the cause runs the command again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agent.api.clusters import Cluster
from agent.model.intent import ClusterIntent
from agent.model.problems import Problem
from agent.model.states import HostStatus
from client.observe.phase import Situation, Standing
from client.observe.presence import presence
from client.remote.checks import check_words, failing_checks
from client.remote.hosts import host_name
from node0.validations import CLUSTER_RULES, HOST_RULES
from node0.validations.engine.validation import Gate

_A_PERSON_MUST_ACT = {Gate.HARDWARE, Gate.INPUT}

NEVER_MENDS_ITSELF = frozenset(
    {rule.id for rule in HOST_RULES if rule.gate in _A_PERSON_MUST_ACT}
    | {rule.id for rule in CLUSTER_RULES if rule.gate in _A_PERSON_MUST_ACT}
)
"""Validations of what a machine has or what the inputs say. Others (clocks, links, hosts on their way) may yet hold."""


@dataclass(frozen=True)
class Limit:
    """`seconds` that a situation may last unchanged; then the wait ends with the problem `code`."""

    seconds: float
    code: str
    remedy: str


LIMITS = {
    Situation.CHECKS_FAILING: Limit(
        300.0, "checks-failed", "Correct what the checks name; nothing has been written to any disk."
    ),
    Situation.READY: Limit(
        900.0,
        "install-not-started",
        "node0's driver has not started the install: `journalctl -u cluster0-create-cluster` on node0 says why.",
    ),
    Situation.SERVICE_UNTRUSTED: Limit(
        600.0, "service-untrusted", "Boot the hosts from this directory's ISO, or name the directory of theirs."
    ),
    Situation.API_UNREACHABLE: Limit(
        600.0, "api-unreachable", "Run the command where the API's address can be reached; the install is complete."
    ),
    Situation.NEEDS_ATTENTION: Limit(
        1800.0, "hosts-need-attention", "Do what is said of them, and run the command again: node0 waits for a day."
    ),
    Situation.INSTALLED: Limit(
        120.0,
        "install-failed",
        "The cluster works without them. Booting them from the ISO while node0's service lives, or `cluster0 hosts "
        "retry HOST`, lets them join; `--nodes control-plane` asks for the control plane alone.",
    ),
}


class Patience:
    """Remembers since when nothing has changed. Times are seconds on a monotonic clock."""

    def __init__(self) -> None:
        self._scene: tuple[Situation, frozenset[tuple[str, str]]] | None = None
        self._since = 0.0

    def lost(self, where: Standing, cluster: Cluster | None, intent: ClusterIntent, at: float) -> Problem | None:
        """The reason to stop waiting, once there is one."""
        why = _REASONS.get(where.situation)
        lasting = why(cluster, intent) if why and cluster else {}
        scene = (where.situation, frozenset(lasting))
        if scene != self._scene:
            self._scene, self._since = scene, at
        limit = LIMITS.get(where.situation)
        if limit is None or at - self._since < limit.seconds:
            return None
        if why and not lasting:
            return None
        return Problem(
            code=limit.code,
            title=f"Nothing has changed for {limit.seconds / 60:g} minutes, and nothing will by itself: {where.detail}",
            detail="\n".join(lasting.values()),
            remedy=limit.remedy,
        )


def hopeless_checks(cluster: Cluster, _intent: ClusterIntent) -> dict[tuple[str, str], str]:
    """(host, check) → the verdict in words, for those that do not hold and never mend themselves."""
    bad = failing_checks(cluster)
    return {key: check_words(key, verdict) for key, verdict in bad.items() if verdict.id in NEVER_MENDS_ITSELF}


def stuck_hosts(cluster: Cluster, _intent: ClusterIntent) -> dict[tuple[str, str], str]:
    """(host, its state) → why it does not go on by itself."""
    stuck = (host for host in cluster.hosts if host.status in (_BAD | _NOT_LET_IN if host.approved else _BAD))
    return {(host_name(host), str(host.status)): f"{host_name(host)}: {host.status_info}" for host in stuck}


def hosts_left_out(cluster: Cluster, intent: ClusterIntent) -> dict[tuple[str, str], str]:
    """(host, its state) → why it has not become a node with the others, and will not by itself."""
    missing = {(host.hostname, ""): f"{host.hostname}: it has not registered."
               for host in presence(cluster, intent).missing}  # fmt: skip
    return stuck_hosts(cluster, intent) | missing


_BAD = {HostStatus.ERROR, HostStatus.CANCELLED, HostStatus.INSTALLING_PENDING_USER_ACTION}
_NOT_LET_IN = {HostStatus.DISCONNECTED, HostStatus.INSUFFICIENT, HostStatus.PENDING_FOR_INPUT}

_REASONS: dict[Situation, Callable[[Cluster, ClusterIntent], dict[tuple[str, str], str]]] = {
    Situation.CHECKS_FAILING: hopeless_checks,
    Situation.NEEDS_ATTENTION: stuck_hosts,
    Situation.INSTALLED: hosts_left_out,
}
"""What has to be there for a situation to be without hope; in the others that they last is enough."""
