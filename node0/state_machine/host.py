"""A host's states as a table. Source of states and conditions: assisted-service's host state machine, our subset.

Two rows differ from upstream on purpose. A host that registers again *before* its reboot (its power was cut, its agent
restarted) has not failed: its install starts over. The agent recognises what it has written so far, and the disk held
nothing else. One that registers *after* its reboot has lost what was written, because the agent starts an installed
disk by itself: its install starts over, too, unless that happens again and again. node0 after a power cut is another
case: its database was in RAM, so a new service meets a new host. Once the database is on the state file system, the
installed system goes on with it, and its agent does not register again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from agent.model.states import FROM_DISK, ClusterStatus, HostStatus, Stage
from node0.state_machine.limits import Limits
from node0.state_machine.transition import Transition
from node0.store.records import ClusterRecord, HostRecord
from node0.validations.engine.validation import Gate
from node0.validations.host.hardware.no_boot_loop import STARTS

S = HostStatus


class HostEvent(StrEnum):
    """`REFRESHED`: something changed or a deadline passed. `STOPPED`: the host reports that its install has
    stopped."""

    REGISTERED = "registered"
    REFRESHED = "refreshed"
    STAGE_REACHED = "stage reached"
    FAILED = "failed"
    RESET_REQUESTED = "reset requested"
    STOPPED = "install stopped"


@dataclass(frozen=True)
class HostCase:
    """What the conditions of the table may use.

    unresponsive_for, stalled_for: seconds since the last check-in and since the last progress.
    failing: gate → messages of its validations that do not hold.
    stage, reason: what the host reports with STAGE_REACHED and FAILED.
    is_same_boot: with REGISTERED: its agent alone started again, and not the machine.
    missing_reports: names of the reports that it must send before the first write to its disk.
    """

    host: HostRecord
    cluster: ClusterRecord | None
    unresponsive_for: float
    stalled_for: float
    failing: dict[Gate, tuple[str, ...]]
    stage: Stage | None = None
    reason: str = ""
    is_same_boot: bool = False
    missing_reports: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def reached(self) -> Stage | None:
        return self.host.stage.stage if self.host.stage else None

    @property
    def reached_words(self) -> str:
        return f"stage '{self.reached}'" if self.reached else "the start of its install"

    @property
    def is_unresponsive(self) -> bool:
        return self.unresponsive_for >= self.limits.disconnection_limit(bootstrap=self.host.bootstrap)

    @property
    def is_unresponsive_before_reboot(self) -> bool:
        return self.is_unresponsive and not is_past_reboot(self.host)

    @property
    def is_stalled(self) -> bool:
        return self.stalled_for >= self.stage_limit

    @property
    def stage_limit(self) -> float:
        return self.limits.stage(self.reached, self.host.install_role)

    @property
    def stalled_minutes(self) -> int:
        return int(self.stage_limit // 60)

    @property
    def unresponsive_minutes(self) -> int:
        return int(self.limits.disconnection_limit(bootstrap=self.host.bootstrap) // 60)

    @property
    def preparing_minutes(self) -> int:
        return int(self.limits.preparing_host // 60)

    @property
    def user_action_minutes(self) -> int:
        return int(self.limits.user_action // 60)

    @property
    def has_started_often(self) -> bool:
        """Its live image, before this start."""
        return len(self.host.starts) >= STARTS

    @property
    def waits_for(self) -> str:
        return ", ".join(self.missing_reports)

    def holds(self, gate: Gate) -> bool:
        return not self.failing.get(gate)

    @property
    def shortcomings(self) -> str:
        """The messages of the first gate that does not hold."""
        for gate in (Gate.HARDWARE, Gate.INPUT, Gate.SUFFICIENT):
            if not self.holds(gate):
                return " ".join(self.failing[gate])
        return ""

    @property
    def is_ready(self) -> bool:
        return not self.is_unresponsive and all(self.holds(gate) for gate in Gate if gate is not Gate.SHOWN)

    @property
    def is_let_in(self) -> bool:
        """Its install may begin: with all others, or after them, when the install started without it."""
        if self.host.late:
            return self.host.approved and self.cluster_is(*_CLUSTER_DURING, *HAS_CONTROL_PLANE)
        return self.host.approved and self.cluster_is(ClusterStatus.PREPARING_FOR_INSTALLATION)

    def cluster_is(self, *statuses: ClusterStatus) -> bool:
        return self.cluster is not None and self.cluster.status in statuses


def is_past_reboot(host: HostRecord) -> bool:
    """Whether the host is in a stage in which it boots from its disk: it need not check in meanwhile."""
    return host.stage is not None and host.stage.stage in FROM_DISK


DISCOVERY = frozenset(status for status in S if status.is_before_install)
PREPARING = frozenset({S.PREPARING_FOR_INSTALLATION, S.PREPARING_SUCCESSFUL, S.PREPARING_FAILED})
RUNNING = frozenset({S.INSTALLING, S.INSTALLING_IN_PROGRESS})
INSTALLING = RUNNING | {S.INSTALLING_PENDING_USER_ACTION}
FINAL = frozenset({S.INSTALLED, S.ERROR, S.CANCELLED})
RESETTING = frozenset({S.RESETTING, S.RESETTING_PENDING_USER_ACTION})

CLUSTER_BEFORE = (ClusterStatus.INSUFFICIENT, ClusterStatus.PENDING_FOR_INPUT, ClusterStatus.READY)
"""The table of hosts does not distinguish these."""
_CLUSTER_DURING = (ClusterStatus.INSTALLING, ClusterStatus.INSTALLING_PENDING_USER_ACTION)
HAS_CONTROL_PLANE = (ClusterStatus.FINALIZING, ClusterStatus.INSTALLED)
_RETRY = (
    "Boot it from the ISO to install it again; its disk is recognised as this cluster's. "
    'Where the menu offers it, choose "Install again".'
)

E = HostEvent
_Row = Transition[HostStatus, HostEvent, HostCase]

# fmt: off
HOST_TRANSITIONS: tuple[_Row, ...] = (
    # A host that registers starts from the beginning, unless only its agent restarted, or its install has started.
    *(
        _Row(E.REGISTERED, frozenset({status}), status, "{case.host.status_info}", lambda case: case.is_same_boot)
        for status in S
        if status in DISCOVERY | PREPARING
    ),
    _Row(E.REGISTERED, DISCOVERY, S.DISCOVERING, "Waiting for the host's inventory."),
    _Row(E.REGISTERED, PREPARING, S.KNOWN, "The host registered again while its install was prepared."),
    # After its reboot: our agent registers only where no disk has its installed system, and does not report a boot
    # where it is another agent's.
    _Row(E.REGISTERED, INSTALLING, S.INSTALLING_PENDING_USER_ACTION,
         "The host booted the live image instead of its disk after the reboot. Put the disk first in its boot order.",
         lambda case: is_past_reboot(case.host) and not case.host.boot_id),
    _Row(E.REGISTERED, RUNNING, S.INSTALLING_PENDING_USER_ACTION,
         "The host has lost its installed system again. See that its disk keeps what is written to it, or replace it. "
         "Then boot the host from the ISO: its install starts over.",
         lambda case: is_past_reboot(case.host) and case.has_started_often and not case.is_same_boot),
    _Row(E.REGISTERED, frozenset({S.INSTALLING_PENDING_USER_ACTION}), S.INSTALLING_PENDING_USER_ACTION,
         "{case.host.status_info}", lambda case: case.is_same_boot),
    _Row(E.REGISTERED, INSTALLING, S.INSTALLING,
         "The host started again at {case.reached_words}; its install starts over."),
    _Row(E.REGISTERED, frozenset({S.ERROR}), S.INSTALLING,
         "The host started again after it had failed; its install starts over.",
         lambda case: case.cluster_is(*_CLUSTER_DURING, *HAS_CONTROL_PLANE)),
    _Row(E.REGISTERED, frozenset({S.ERROR}), S.ERROR, "{case.host.status_info}"),
    _Row(E.REGISTERED, frozenset({S.CANCELLED}), S.CANCELLED, "{case.host.status_info}"),
    _Row(E.REGISTERED, RESETTING, S.INSTALLING,
         "The host started again; its install starts over.", lambda case: case.cluster_is(*_CLUSTER_DURING)),
    _Row(E.REGISTERED, RESETTING, S.DISCOVERING, "Waiting for the host's inventory."),

    # Before the install: the first condition that fails names the state.
    _Row(E.REFRESHED, DISCOVERY, S.DISCONNECTED,
         "The host has not checked in for {case.unresponsive_minutes} minutes.", lambda case: case.is_unresponsive),
    _Row(E.REFRESHED, DISCOVERY | PREPARING, S.DISCONNECTED,
         "The host cannot read the medium that it was booted from. Plug it in again.",
         lambda case: not case.host.media_connected and not case.holds(Gate.CONNECTION)),
    _Row(E.REFRESHED, DISCOVERY, S.DISCOVERING,
         "Waiting for the host's inventory.", lambda case: case.host.inventory is None),
    _Row(E.REFRESHED, DISCOVERY, S.INSUFFICIENT,
         "The hardware is not enough. {case.shortcomings}", lambda case: not case.holds(Gate.HARDWARE)),
    _Row(E.REFRESHED, DISCOVERY, S.PENDING_FOR_INPUT,
         "Input is missing. {case.shortcomings}", lambda case: not case.holds(Gate.INPUT)),
    _Row(E.REFRESHED, DISCOVERY, S.INSUFFICIENT,
         "The host cannot be installed yet. {case.shortcomings}", lambda case: not case.holds(Gate.SUFFICIENT)),
    _Row(E.REFRESHED, DISCOVERY, S.PREPARING_FOR_INSTALLATION,
         "The host's install is being prepared.",
         lambda case: case.is_let_in),
    _Row(E.REFRESHED, DISCOVERY, S.KNOWN, "The host is ready to be installed."),

    # Preparing: what held has to hold until the first write to the disk.
    _Row(E.REFRESHED, PREPARING, S.DISCONNECTED,
         "The host has not checked in for {case.unresponsive_minutes} minutes.", lambda case: case.is_unresponsive),
    _Row(E.REFRESHED, PREPARING, S.INSUFFICIENT,
         "The host cannot be installed any more. {case.shortcomings}", lambda case: not case.is_ready),
    _Row(E.REFRESHED, PREPARING - {S.PREPARING_FAILED}, S.KNOWN,
         "The cluster is not being prepared any more.",
         lambda case: case.cluster_is(*CLUSTER_BEFORE, ClusterStatus.CANCELLED)),
    _Row(E.REFRESHED, frozenset({S.PREPARING_FAILED}), S.KNOWN,
         "The host has sent the missing reports.", lambda case: not case.missing_reports),
    _Row(E.REFRESHED, frozenset({S.PREPARING_FOR_INSTALLATION}), S.PREPARING_SUCCESSFUL,
         "The host's install is prepared.", lambda case: not case.missing_reports),
    _Row(E.REFRESHED, frozenset({S.PREPARING_FOR_INSTALLATION}), S.PREPARING_FAILED,
         "prepare-timeout: the host did not answer within {case.preparing_minutes} minutes: {case.waits_for}.",
         lambda case: case.stalled_for >= case.limits.preparing_host),
    _Row(E.REFRESHED, frozenset({S.PREPARING_FOR_INSTALLATION}), S.PREPARING_FOR_INSTALLATION,
         "The host's install is being prepared; waiting for its {case.waits_for}."),
    _Row(E.REFRESHED, frozenset({S.PREPARING_SUCCESSFUL}), S.INSTALLING,
         "The host's install starts.", lambda case: case.host.late or case.cluster_is(ClusterStatus.INSTALLING)),

    # Installing: the host reports its progress; limits pass.
    _Row(E.REFRESHED, INSTALLING, S.ERROR,
         "The install of the cluster failed.", lambda case: case.cluster_is(ClusterStatus.ERROR)),
    _Row(E.REFRESHED, INSTALLING, S.CANCELLED,
         "The install of the cluster was cancelled.", lambda case: case.cluster_is(ClusterStatus.CANCELLED)),
    _Row(E.REFRESHED, frozenset({S.INSTALLING_PENDING_USER_ACTION}), S.ERROR,
         "user-action-timeout: the host waited {case.user_action_minutes} minutes for you. " + _RETRY,
         lambda case: case.stalled_for >= case.limits.user_action),
    _Row(E.REFRESHED, RUNNING, S.ERROR,
         "host-lost: the host has not checked in for {case.unresponsive_minutes} minutes at {case.reached_words}. "
         + _RETRY,
         lambda case: case.is_unresponsive_before_reboot),
    _Row(E.REFRESHED, RUNNING, S.INSTALLING_PENDING_USER_ACTION,
         "The host did not come back from its reboot within {case.stalled_minutes} minutes. "
         "See its console, and that it boots from its disk.",
         lambda case: case.is_stalled and case.reached is Stage.REBOOTING),
    _Row(E.REFRESHED, RUNNING, S.ERROR,
         "stage-timeout: no progress for {case.stalled_minutes} minutes at {case.reached_words}. " + _RETRY,
         lambda case: case.is_stalled),
    _Row(E.STAGE_REACHED, INSTALLING, S.INSTALLED, "Done", lambda case: case.stage is Stage.DONE),
    _Row(E.STAGE_REACHED, INSTALLING, S.INSTALLING_IN_PROGRESS, "{case.stage}"),
    _Row(E.FAILED, INSTALLING, S.ERROR, "Failed at {case.reached_words}: {case.reason}"),

    # Reset: the host starts over by itself while the live image runs; else the user has to boot it.
    _Row(E.RESET_REQUESTED, INSTALLING | FINAL, S.RESETTING_PENDING_USER_ACTION,
         "The host has left the live image. Boot it from the ISO again.", lambda case: is_past_reboot(case.host)),
    _Row(E.RESET_REQUESTED, INSTALLING | FINAL, S.RESETTING, "Waiting for the host to stop its install."),
    _Row(E.STOPPED, frozenset({S.RESETTING}), S.INSTALLING,
         "The host has stopped its install; it starts over.", lambda case: case.cluster_is(*_CLUSTER_DURING)),
    _Row(E.STOPPED, frozenset({S.RESETTING}), S.DISCOVERING, "Waiting for the host's inventory."),
    _Row(E.REFRESHED, frozenset({S.RESETTING}), S.RESETTING_PENDING_USER_ACTION,
         "The host has not checked in for {case.unresponsive_minutes} minutes. Boot it from the ISO again.",
         lambda case: case.is_unresponsive),
    _Row(E.REFRESHED, frozenset({S.RESETTING_PENDING_USER_ACTION}), S.ERROR,
         "user-action-timeout: the host was not booted within {case.user_action_minutes} minutes. " + _RETRY,
         lambda case: case.cluster_is(*_CLUSTER_DURING) and case.stalled_for >= case.limits.user_action),
)
# fmt: on
