"""The cluster's states as a table. Source: assisted-service's cluster state machine, our subset.

One row differs from upstream on purpose. The cluster waits for a failed host that it needs, because the host can be
booted from the ISO again, and the other hosts lose nothing by that. Only a failure of node0 fails the cluster: the
other hosts join its control plane.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus
from node0.state_machine.limits import HOUR, Limits
from node0.state_machine.transition import Transition
from node0.store.records import ClusterRecord, HostRecord
from node0.validations.engine.validation import Gate

S = ClusterStatus


class ClusterEvent(StrEnum):
    REFRESHED = "refreshed"
    INSTALL_REQUESTED = "install requested"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCEL_REQUESTED = "cancel requested"
    RESET_REQUESTED = "reset requested"


@dataclass(frozen=True)
class ClusterCase:
    """What the conditions of the table may use.

    hosts: those that the cluster waits for: approved, and not late. since: seconds since it entered its status.
    failing: gate → messages of the cluster's validations that do not hold. reason: of the failure, from the driver.
    """

    cluster: ClusterRecord
    hosts: tuple[HostRecord, ...]
    since: float
    failing: dict[Gate, tuple[str, ...]]
    reason: str = ""
    limits: Limits = field(default_factory=Limits)

    def holds(self, gate: Gate) -> bool:
        return not self.failing.get(gate)

    @property
    def shortcomings(self) -> str:
        return " ".join(message for gate in (Gate.INPUT, Gate.SUFFICIENT) for message in self.failing.get(gate, ()))

    def all_at(self, *statuses: HostStatus) -> bool:
        return bool(self.hosts) and all(host.status in statuses for host in self.hosts)

    def any_at(self, *statuses: HostStatus) -> bool:
        return any(host.status in statuses for host in self.hosts)

    @property
    def masters(self) -> tuple[HostRecord, ...]:
        return tuple(host for host in self.hosts if host.effective_role is Role.MASTER)

    @property
    def workers(self) -> tuple[HostRecord, ...]:
        return tuple(host for host in self.hosts if host.effective_role is Role.WORKER)

    @property
    def enough_installed(self) -> bool:
        """Every control plane, and two of the workers where there are as many."""
        masters = _count(self.masters, HostStatus.INSTALLED)
        workers = _count(self.workers, HostStatus.INSTALLED)
        return masters == self.cluster.spec.control_plane_count and workers >= min(2, len(self.workers))

    @property
    def node0_has_failed(self) -> bool:
        return any(host.bootstrap and host.status is HostStatus.ERROR for host in self.hosts)

    @property
    def lacks_hosts(self) -> bool:
        """More hosts have failed than the cluster can do without."""
        masters = len(self.masters) - _count(self.masters, HostStatus.ERROR)
        workers = len(self.workers) - _count(self.workers, HostStatus.ERROR)
        return masters < self.cluster.spec.control_plane_count or workers < min(2, len(self.workers))

    @property
    def failed_hosts(self) -> str:
        return " ".join(f"{host.label}: {host.status_info}" for host in self.hosts if host.status is HostStatus.ERROR)

    @property
    def left_behind(self) -> str:
        names = (f"{host.label} is {host.status}: {host.status_info}" for host in self.hosts if host.status in _LEFT)
        return " ".join(names)

    @property
    def installation_hours(self) -> float:
        return self.limits.installation / HOUR

    @property
    def finalizing_hours(self) -> float:
        return self.limits.finalizing / HOUR

    @property
    def waiting_hosts(self) -> str:
        pending = HostStatus.INSTALLING_PENDING_USER_ACTION
        return " ".join(f"{host.label}: {host.status_info}" for host in self.hosts if host.status is pending)


def counted(host: HostRecord) -> tuple[object, ...]:
    """What of a host the table below uses."""
    is_quoted = host.status in _LEFT or host.status is _PENDING
    return (host.status, host.effective_role, host.bootstrap, (host.label, host.status_info) if is_quoted else ())


def _count(hosts: Iterable[HostRecord], status: HostStatus) -> int:
    return sum(host.status is status for host in hosts)


BEFORE = frozenset({S.INSUFFICIENT, S.PENDING_FOR_INPUT, S.READY})
PREPARING = frozenset({S.PREPARING_FOR_INSTALLATION})
RUNNING = frozenset({S.INSTALLING, S.INSTALLING_PENDING_USER_ACTION})
UNDER_WAY = RUNNING | {S.FINALIZING}
FINAL = frozenset(status for status in S if status.is_final)
FAILED = FINAL - {S.INSTALLED}

_LEFT = (
    HostStatus.DISCOVERING,
    HostStatus.DISCONNECTED,
    HostStatus.INSUFFICIENT,
    HostStatus.PENDING_FOR_INPUT,
    HostStatus.PREPARING_FAILED,
    HostStatus.ERROR,
)
_PENDING = HostStatus.INSTALLING_PENDING_USER_ACTION

E = ClusterEvent
_Row = Transition[ClusterStatus, ClusterEvent, ClusterCase]

# fmt: off
CLUSTER_TRANSITIONS: tuple[_Row, ...] = (
    _Row(E.REFRESHED, BEFORE, S.PENDING_FOR_INPUT,
         "Input is missing. {case.shortcomings}", lambda case: not case.holds(Gate.INPUT)),
    _Row(E.REFRESHED, BEFORE, S.INSUFFICIENT,
         "The cluster cannot be installed yet. {case.shortcomings}", lambda case: not case.holds(Gate.SUFFICIENT)),
    _Row(E.REFRESHED, BEFORE, S.READY, "The cluster is ready to be installed."),
    _Row(E.INSTALL_REQUESTED, frozenset({S.READY}), S.PREPARING_FOR_INSTALLATION, "The install is being prepared."),

    _Row(E.REFRESHED, PREPARING, S.INSUFFICIENT,
         "The preparation was given up. {case.left_behind}", lambda case: case.any_at(*_LEFT)),
    _Row(E.REFRESHED, PREPARING, S.INSTALLING,
         "The install is in progress.", lambda case: case.all_at(HostStatus.PREPARING_SUCCESSFUL)),
    _Row(E.REFRESHED, PREPARING, S.READY,
         "The preparation took too long; the install can be started again.",
         lambda case: case.since >= case.limits.preparing),

    _Row(E.REFRESHED, RUNNING, S.ERROR,
         "The install failed. {case.failed_hosts}", lambda case: case.node0_has_failed),
    _Row(E.REFRESHED, UNDER_WAY, S.ERROR,
         "install-timeout: the install was not finished within {case.installation_hours:g} hours.",
         lambda case: case.since >= case.limits.installation),
    _Row(E.REFRESHED, UNDER_WAY, S.INSTALLING_PENDING_USER_ACTION,
         "Hosts wait for you. {case.waiting_hosts}", lambda case: case.any_at(_PENDING)),
    _Row(E.REFRESHED, RUNNING, S.INSTALLING_PENDING_USER_ACTION,
         "The cluster waits for failed hosts. Boot them from the ISO again: their installs start over. "
         "{case.failed_hosts}",
         lambda case: case.lacks_hosts),
    _Row(E.REFRESHED, RUNNING, S.FINALIZING,
         "The hosts are installed; waiting for the cluster's nodes.", lambda case: case.enough_installed),
    _Row(E.REFRESHED, frozenset({S.INSTALLING_PENDING_USER_ACTION}), S.INSTALLING, "The install is in progress."),
    _Row(E.REFRESHED, frozenset({S.FINALIZING}), S.ERROR,
         "finalizing-timeout: the nodes were not ready within {case.finalizing_hours:g} hours.",
         lambda case: case.since >= case.limits.finalizing),

    _Row(E.COMPLETED, frozenset({S.FINALIZING}), S.INSTALLED, "The cluster is installed."),
    _Row(E.FAILED, UNDER_WAY, S.ERROR, "The install failed. {case.reason}"),

    # Cancelled or reset by the user.
    _Row(E.CANCEL_REQUESTED, PREPARING | UNDER_WAY | {S.ERROR}, S.CANCELLED,
         "The install was cancelled. Reset the cluster to install it after all."),
    _Row(E.RESET_REQUESTED, PREPARING | UNDER_WAY | {S.ERROR, S.CANCELLED}, S.INSUFFICIENT,
         "The install was reset: the hosts are checked again."),
)
# fmt: on
