"""Which steps a host gets, by its status: what is sent, and when the same step is sent again.

A step without a result is sent again after `retry`; with one, it is sent again after `refresh`. Only the newest request
of a host gets steps: the connections of those before may be dead. A host says with its next request when an answer was
lost, and after it has registered it gets all its steps. Only memory holds what was sent: after a restart of the service
all steps are sent again. That does no harm, because an agent that is already running an install does not start another.

Only two steps write to a disk, and both are sent only after the user or the driver has requested the install: the
measurement of the installation disk's speed, which writes back what it has read, and the install itself.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from agent.api.steps import Step, StepType
from agent.machine.clock import Clock
from agent.model.states import HostStatus
from node0.instructions import arguments
from node0.reconcile import preparation
from node0.store.records import HostRecord, Records


def always(_host: HostRecord, _records: Records) -> bool:
    return True


@dataclass(frozen=True)
class PlannedStep:
    """A step in the plan. `has_result`: whether the host has replied; `is_needed`: whether the step has anything to do;
    retry, refresh: seconds."""

    step: StepType
    has_result: Callable[[HostRecord], bool]
    retry: float
    refresh: float
    is_needed: Callable[[HostRecord, Records], bool] = always


def _has_peers(host: HostRecord, _records: Records) -> bool:
    return bool(host.peers)


def _has_vips(_host: HostRecord, records: Records) -> bool:
    return records.cluster is not None and bool(arguments.vips(records.cluster))


INVENTORY = PlannedStep(StepType.INVENTORY, lambda host: host.inventory is not None, retry=30, refresh=60)
TIME = PlannedStep(StepType.NTP_SYNCHRONIZER, lambda host: bool(host.ntp_sources), retry=60, refresh=60)
PEERS = PlannedStep(
    StepType.CONNECTIVITY_CHECK, lambda host: not host.unreported_peers, retry=5, refresh=60, is_needed=_has_peers
)
NAMES = PlannedStep(StepType.DOMAIN_RESOLUTION, lambda host: host.resolutions is not None, retry=60, refresh=120)
ADDRESSES = PlannedStep(StepType.FREE_NETWORK_ADDRESSES, lambda host: bool(host.free_addresses), 60, 300, _has_vips)
VIPS = PlannedStep(StepType.VERIFY_VIPS, lambda host: bool(host.vips), retry=30, refresh=60, is_needed=_has_vips)
IMAGES = PlannedStep(StepType.CONTAINER_IMAGE_AVAILABILITY, lambda host: host.images is not None, retry=60, refresh=600)
USER_CHECKS = PlannedStep(StepType.USER_CHECKS, lambda host: host.user_checks is not None, retry=120, refresh=120)
DISK_SPEED = PlannedStep(StepType.INSTALLATION_DISK_SPEED_CHECK, preparation.has_disk_speed, retry=60, refresh=math.inf)
INSTALL = PlannedStep(StepType.INSTALL, lambda host: host.stage is not None, retry=60, refresh=60)
LOGS = PlannedStep(StepType.LOGS_GATHER, lambda host: host.logs.collected_at is not None, retry=300, refresh=math.inf)
# With a reply it is not sent again: the reply takes a host that is being reset to its next status.
STOP = PlannedStep(
    StepType.STOP_INSTALLATION, lambda host: host.status is not HostStatus.RESETTING, retry=60, refresh=math.inf
)

DISK_WRITING = frozenset({StepType.INSTALLATION_DISK_SPEED_CHECK, StepType.INSTALL})

S = HostStatus
CHECKS = (INVENTORY, TIME, PEERS, NAMES, ADDRESSES, VIPS, IMAGES, USER_CHECKS)

PLAN: dict[HostStatus, tuple[PlannedStep, ...]] = {
    S.DISCOVERING: (INVENTORY,),
    S.KNOWN: CHECKS,
    S.INSUFFICIENT: CHECKS,
    S.PENDING_FOR_INPUT: CHECKS,
    S.DISCONNECTED: (INVENTORY,),
    S.PREPARING_FOR_INSTALLATION: (IMAGES, USER_CHECKS, DISK_SPEED),
    S.PREPARING_SUCCESSFUL: (),
    S.PREPARING_FAILED: (IMAGES, USER_CHECKS),
    S.INSTALLING: (INSTALL,),
    S.INSTALLING_IN_PROGRESS: (),
    S.INSTALLING_PENDING_USER_ACTION: (),
    S.INSTALLED: (),
    S.ERROR: (LOGS, STOP),
    S.CANCELLED: (LOGS, STOP),
    S.RESETTING: (STOP,),
    S.RESETTING_PENDING_USER_ACTION: (),
}


class StepPlan:
    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._sent: dict[tuple[str, StepType], float] = {}
        self._in_last_answer: dict[str, tuple[StepType, ...]] = {}
        self._requests = count()
        self._newest: dict[str, int] = {}

    def begin(self, host_id: str, *, lost: bool = False) -> int:
        """A request of the host begins; returns its number. `lost`: the steps of the last answer are due again."""
        if lost:
            self._make_due(host_id, self._in_last_answer.pop(host_id, ()))
        self._newest[host_id] = next(self._requests)
        return self._newest[host_id]

    def is_newest(self, host_id: str, request: int) -> bool:
        """Whether no other request of the host, and no registration, has come after `request`."""
        return self._newest.get(host_id) == request

    def due(self, host: HostRecord, records: Records) -> tuple[StepType, ...]:
        """The steps to send to `host` now."""
        return tuple(step for step, left in self._left(host, records) if left <= 0)

    def next_due(self, host: HostRecord, records: Records) -> float:
        """Seconds until a step is due if nothing changes; infinite when none will be."""
        return min((left for _, left in self._left(host, records)), default=math.inf)

    def take(self, host: HostRecord, records: Records) -> tuple[Step, ...]:
        """The steps that are due, with their arguments; they count as sent."""
        due = self.due(host, records)
        steps = tuple(_with_arguments(kind, host, records) for kind in due)
        for kind in due:
            self._sent[host.id, kind] = self._clock.monotonic()
        self._in_last_answer[host.id] = due
        return steps

    def forget(self, host_id: str) -> None:
        """The host starts from the first step: all its steps are due."""
        self._make_due(host_id, StepType)
        self._in_last_answer.pop(host_id, None)

    def forget_requests(self, host_id: str) -> None:
        """The same, and the requests that it has open get no steps: it has registered again, or is removed."""
        self.forget(host_id)
        self._newest.pop(host_id, None)

    def _make_due(self, host_id: str, steps: Iterable[StepType]) -> None:
        for step in steps:
            self._sent.pop((host_id, step), None)

    def _left(self, host: HostRecord, records: Records) -> Iterator[tuple[StepType, float]]:
        """The steps of the host's status, and the seconds until each is due; not above 0: now."""
        for planned in PLAN[host.status]:
            if planned.is_needed(host, records):
                period = planned.refresh if planned.has_result(host) else planned.retry
                sent = self._sent.get((host.id, planned.step), -math.inf)
                yield planned.step, _seconds(sent, period) - self._clock.monotonic()


def _seconds(sent: float, period: float) -> float:
    """A step that was never sent is due, also one that is never refreshed."""
    return -math.inf if sent == -math.inf else sent + period


def _with_arguments(kind: StepType, host: HostRecord, records: Records) -> Step:
    return Step(
        step_type=kind, step_id=f"{kind}-{uuid.uuid4().hex[:8]}", args=arguments.arguments_for(kind, host, records)
    )
