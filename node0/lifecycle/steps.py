"""Which steps a host gets, by its status: what is sent, and when the same step is sent again.

A result that has not come (a lost connection, a restarted agent) is asked for again after `retry`; one that is there is
refreshed after `refresh`. What was sent is remembered in memory only: after a restart of the service all is sent again,
which does no harm, because an agent that is already running an install does not start another.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from agent.api.states import HostStatus
from agent.api.steps import InstallRequest, Step, StepType
from agent.machine.clock import Clock
from node0.store.records import HostRecord, Records
from node0.validations import disks


@dataclass(frozen=True)
class Asked:
    """A step in the plan. `has_result` tells whether the host has answered; retry, refresh: seconds."""

    step: StepType
    has_result: Callable[[HostRecord], bool]
    retry: float
    refresh: float


INVENTORY = Asked(StepType.INVENTORY, lambda host: host.inventory is not None, retry=30, refresh=60)
TIME = Asked(StepType.NTP_SYNCHRONIZER, lambda host: bool(host.ntp_sources), retry=60, refresh=60)
INSTALL = Asked(StepType.INSTALL, lambda host: host.stage is not None, retry=60, refresh=60)

S = HostStatus

PLAN: dict[HostStatus, tuple[Asked, ...]] = {
    S.DISCOVERING: (INVENTORY,),
    S.KNOWN: (INVENTORY, TIME),
    S.INSUFFICIENT: (INVENTORY, TIME),
    S.PENDING_FOR_INPUT: (INVENTORY, TIME),
    S.DISCONNECTED: (INVENTORY,),
    S.PREPARING_FOR_INSTALLATION: (),
    S.PREPARING_SUCCESSFUL: (),
    S.PREPARING_FAILED: (),
    S.INSTALLING: (INSTALL,),
    S.INSTALLING_IN_PROGRESS: (),
    S.INSTALLING_PENDING_USER_ACTION: (),
    S.INSTALLED: (),
    S.ERROR: (),
    S.CANCELLED: (),
}


class StepPlan:
    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._sent: dict[tuple[str, StepType], float] = {}

    def due(self, host: HostRecord) -> tuple[StepType, ...]:
        """The steps to send to `host` now."""
        return tuple(step for step, left in self._left(host) if left <= 0)

    def next_due(self, host: HostRecord) -> float:
        """Seconds until a step is due if nothing changes; infinite when none will be."""
        return min((left for _, left in self._left(host)), default=math.inf)

    def take(self, host: HostRecord, records: Records) -> tuple[Step, ...]:
        """The steps that are due, made out for `host`; they count as sent."""
        steps = tuple(_made_out(kind, host, records) for kind in self.due(host))
        for step in steps:
            self._sent[host.id, StepType(step.step_type)] = self._clock.monotonic()
        return steps

    def forget(self, host_id: str) -> None:
        """The host registered anew: nothing that was sent before counts."""
        for key in [key for key in self._sent if key[0] == host_id]:
            del self._sent[key]

    def _left(self, host: HostRecord) -> Iterator[tuple[StepType, float]]:
        """The steps of the host's status, and the seconds until each is due; not above 0: now."""
        for asked in PLAN[host.status]:
            period = asked.refresh if asked.has_result(host) else asked.retry
            sent = self._sent.get((host.id, asked.step), -math.inf)
            yield asked.step, sent + period - self._clock.monotonic()


def _made_out(kind: StepType, host: HostRecord, records: Records) -> Step:
    return Step(step_type=kind, step_id=f"{kind}-{uuid.uuid4().hex[:8]}", args=_arguments(kind, host, records))


def _arguments(kind: StepType, host: HostRecord, records: Records) -> tuple[str, ...]:
    match kind:
        case StepType.INVENTORY:
            return (host.id,)
        case StepType.NTP_SYNCHRONIZER:
            sources = records.cluster.asked.additional_ntp_source if records.cluster else ""
            return (msgspec.json.encode({"ntp_source": sources}).decode(),)
        case StepType.INSTALL:
            return (msgspec.json.encode(_install_request(host, records)).decode(),)
        case StepType.STOP_INSTALLATION | StepType.LOGS_GATHER:
            return ()


def _install_request(host: HostRecord, records: Records) -> InstallRequest:
    disk = disks.installation_disk(host)
    assert disk is not None and records.cluster is not None, "validated before the install started"
    return InstallRequest(
        cluster_id=records.cluster.id,
        infra_env_id=host.infra_env_id,
        host_id=host.id,
        role=host.install_role,
        boot_device=disk.path,
        control_plane_count=records.cluster.asked.control_plane_count,
    )
