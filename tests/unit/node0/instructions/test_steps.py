"""The steps that a host gets, and their intervals."""

from __future__ import annotations

import math

import msgspec
import pytest

from agent.api.checks import ConnectivityReport, Peer, RemoteHost
from agent.api.steps import InstallRequest, StepType
from agent.model.states import HostStatus, InstallRole
from node0.instructions.steps import DISK_WRITING, PLAN, StepPlan
from node0.store.records import LogsRecord
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import CLUSTER_ID, HOST_ID, NOW, host, site

FRESH = host(HostStatus.DISCOVERING, inventory=None)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def steps(clock: ManualClock) -> StepPlan:
    return StepPlan(clock=clock)


def test_every_host_status_has_a_plan_of_steps() -> None:
    assert PLAN.keys() == set(HostStatus)


def test_the_inventory_step_is_sent_once_and_again_when_no_reply_comes(steps: StepPlan, clock: ManualClock) -> None:
    (step,) = steps.take(FRESH, site(FRESH))
    assert (step.step_type, step.args) == (StepType.INVENTORY, (HOST_ID,))
    assert step.step_id.startswith("inventory-")
    assert steps.due(FRESH, site(FRESH)) == ()
    assert steps.next_due(FRESH, site(FRESH)) == 30
    clock.advance(30)
    assert steps.due(FRESH, site(FRESH)) == (StepType.INVENTORY,)


def test_known_facts_of_a_host_are_requested_again_after_a_while(steps: StepPlan, clock: ManualClock) -> None:
    known = host()
    checks = steps.due(known, site(known))
    assert StepType.NTP_SYNCHRONIZER in checks
    steps.take(known, site(known))
    clock.advance(59)
    assert steps.due(known, site(known)) == ()
    clock.advance(1)
    assert {StepType.INVENTORY, StepType.NTP_SYNCHRONIZER} <= set(steps.due(known, site(known)))


def test_a_host_that_registers_again_gets_its_steps_again(steps: StepPlan) -> None:
    steps.take(FRESH, site(FRESH))
    steps.forget(HOST_ID)
    assert steps.due(FRESH, site(FRESH)) == (StepType.INVENTORY,)


def test_the_install_step_says_which_disk_and_which_role(steps: StepPlan) -> None:
    installing = host(HostStatus.INSTALLING, bootstrap=True)
    (step,) = steps.take(installing, site(installing))
    request = msgspec.json.decode(step.args[0], type=InstallRequest)
    assert request.boot_device == "/dev/disk/by-path/pci-0000:00:04.0"
    assert (request.role, request.cluster_id) == (InstallRole.BOOTSTRAP, CLUSTER_ID)


@pytest.mark.parametrize("status", [HostStatus.INSTALLING_IN_PROGRESS, HostStatus.INSTALLED])
def test_a_host_that_installs_or_is_installed_gets_no_step(steps: StepPlan, status: HostStatus) -> None:
    assert steps.due(host(status), site()) == ()
    assert steps.next_due(host(status), site()) == math.inf


def test_a_failed_host_is_stopped_and_gets_the_logs_step_until_they_come(steps: StepPlan, clock: ManualClock) -> None:
    failed = host(HostStatus.ERROR)
    assert [step.step_type for step in steps.take(failed, site(failed))] == ["logs-gather", "stop-installation"]
    clock.advance(300)
    assert steps.due(failed, site(failed)) == (StepType.LOGS_GATHER,)
    failed = msgspec.structs.replace(failed, logs=LogsRecord(collected_at=NOW))
    clock.advance(10**6)
    assert steps.due(failed, site(failed)) == ()


def test_the_connectivity_step_is_sent_when_there_are_peers_and_again_for_a_new_one(
    steps: StepPlan, clock: ManualClock
) -> None:
    single, peer = host(), host(id="b")
    assert StepType.CONNECTIVITY_CHECK not in steps.due(single, site(single))
    first = host(peers=("b",), connectivity=ConnectivityReport(remote_hosts=(RemoteHost(host_id="b"),)))
    (step,) = [step for step in steps.take(first, site(first, peer)) if step.step_type == StepType.CONNECTIVITY_CHECK]
    (planned,) = msgspec.json.decode(step.args[0], type=list[Peer])
    assert (planned.host_id, planned.tcp_ports) == ("b", (6443, 2379, 2380, 10250))
    assert planned.nics[0].ip_addresses == ("127.0.0.1",)
    clock.advance(5)
    assert StepType.CONNECTIVITY_CHECK not in steps.due(first, site(first, peer))
    more = msgspec.structs.replace(first, peers=("b", "c"))
    assert StepType.CONNECTIVITY_CHECK in steps.due(more, site(more, peer))


def test_the_disk_is_measured_only_after_the_install_was_requested() -> None:
    for status, plan in PLAN.items():
        writes = DISK_WRITING & {planned.step for planned in plan}
        assert bool(writes) == (status in {HostStatus.PREPARING_FOR_INSTALLATION, HostStatus.INSTALLING})
