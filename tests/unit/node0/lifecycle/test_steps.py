"""Which steps a host gets, and how often."""

from __future__ import annotations

import math

import msgspec
import pytest

from agent.api.states import HostStatus, InstallRole
from agent.api.steps import InstallRequest, StepType
from node0.lifecycle.steps import PLAN, StepPlan
from tests.fakes.clock import TurnedClock
from tests.fakes.records import CLUSTER_ID, HOST_ID, host, site

FRESH = host(HostStatus.DISCOVERING, inventory=None)


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def steps(clock: TurnedClock) -> StepPlan:
    return StepPlan(clock=clock)


def test_every_status_has_a_plan() -> None:
    assert PLAN.keys() == set(HostStatus)


def test_the_inventory_is_asked_for_once_and_again_when_no_answer_comes(steps: StepPlan, clock: TurnedClock) -> None:
    (step,) = steps.take(FRESH, site(FRESH))
    assert (step.step_type, step.args) == (StepType.INVENTORY, (HOST_ID,))
    assert step.step_id.startswith("inventory-")
    assert steps.due(FRESH) == ()
    assert steps.next_due(FRESH) == 30
    clock.turn(30)
    assert steps.due(FRESH) == (StepType.INVENTORY,)


def test_what_is_known_is_refreshed(steps: StepPlan, clock: TurnedClock) -> None:
    known = host()
    assert steps.due(known) == (StepType.INVENTORY, StepType.NTP_SYNCHRONIZER)
    steps.take(known, site(known))
    clock.turn(59)
    assert steps.due(known) == ()
    clock.turn(1)
    assert steps.due(known) == (StepType.INVENTORY, StepType.NTP_SYNCHRONIZER)


def test_who_registers_anew_is_asked_anew(steps: StepPlan) -> None:
    steps.take(FRESH, site(FRESH))
    steps.forget(HOST_ID)
    assert steps.due(FRESH) == (StepType.INVENTORY,)


def test_the_install_step_says_which_disk_and_which_role(steps: StepPlan) -> None:
    installing = host(HostStatus.INSTALLING, bootstrap=True)
    (step,) = steps.take(installing, site(installing))
    request = msgspec.json.decode(step.args[0], type=InstallRequest)
    assert (request.boot_device, request.role, request.cluster_id) == ("/dev/vda", InstallRole.BOOTSTRAP, CLUSTER_ID)


@pytest.mark.parametrize("status", [HostStatus.INSTALLING_IN_PROGRESS, HostStatus.INSTALLED, HostStatus.ERROR])
def test_nothing_is_asked_of_a_host_at_work_or_at_its_end(steps: StepPlan, status: HostStatus) -> None:
    assert steps.due(host(status)) == ()
    assert steps.next_due(host(status)) == math.inf
