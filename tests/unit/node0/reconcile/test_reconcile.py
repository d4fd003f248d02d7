"""The states that reconciling reaches, and the deadline of the next reconciling."""

from __future__ import annotations

import msgspec
import pytest

from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus, Stage, ValidationStatus
from node0.reconcile.deadlines import next_deadline
from node0.reconcile.evaluate import fire_host, host_case
from node0.reconcile.peers import described
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.state_machine.host import HostEvent
from node0.state_machine.limits import Limits
from node0.store.records import HostRecord, Records
from replay.answers import good_report
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import HOST_ID, PREPARED, at_stage, host, site

LIMITS = Limits()
OTHER_ID = "44444444-4444-4444-8444-444444444444"


class Scenario:
    """Records that are reconciled as the clock advances."""

    def __init__(self, records: Records) -> None:
        self.clock = ManualClock()
        self.timers = Timers(self.clock)
        self.records = records
        self.reconcile()

    def reconcile(self) -> Records:
        self.records = reconcile(self.records, self.timers, self.clock.now())
        return self.records

    def after(self, seconds: float) -> Records:
        self.clock.advance(seconds)
        return self.reconcile()

    @property
    def host(self) -> HostRecord:
        return self.records.hosts[HOST_ID]

    @property
    def cluster_status(self) -> ClusterStatus:
        assert self.records.cluster is not None
        return self.records.cluster.status

    @property
    def why(self) -> str:
        assert self.records.cluster is not None
        return self.records.cluster.status_info


def test_a_good_host_makes_a_ready_cluster() -> None:
    scenario = Scenario(site(host(HostStatus.DISCOVERING)))
    assert (scenario.host.status, scenario.cluster_status) == (HostStatus.KNOWN, ClusterStatus.READY)
    assert scenario.host.bootstrap


def test_reconciled_records_stay_the_same_object() -> None:
    scenario = Scenario(site(host(HostStatus.DISCOVERING)))
    assert reconcile(scenario.records, scenario.timers, scenario.clock.now()) is scenario.records


def test_preparing_goes_all_the_way_to_installing() -> None:
    scenario = Scenario(site(host(**PREPARED), status=ClusterStatus.PREPARING_FOR_INSTALLATION))
    assert (scenario.host.status, scenario.cluster_status) == (HostStatus.INSTALLING, ClusterStatus.INSTALLING)


@pytest.mark.parametrize("missing", sorted(PREPARED))
def test_no_install_starts_before_the_last_answer_is_there(missing: str) -> None:
    scenario = Scenario(site(host(**{**PREPARED, missing: None}), status=ClusterStatus.PREPARING_FOR_INSTALLATION))
    assert scenario.host.status is HostStatus.PREPARING_FOR_INSTALLATION
    scenario.timers.checked_in(HOST_ID)
    scenario.clock.advance(LIMITS.preparing_host)
    scenario.timers.checked_in(HOST_ID)
    scenario.reconcile()
    assert (scenario.host.status, scenario.cluster_status) == (HostStatus.PREPARING_FAILED, ClusterStatus.INSUFFICIENT)
    assert "prepare-timeout" in scenario.host.status_info
    assert "node0 is preparing-failed" in scenario.why
    answered = msgspec.structs.replace(scenario.host, **PREPARED)
    scenario.records = msgspec.structs.replace(scenario.records, hosts={HOST_ID: answered})
    scenario.reconcile()
    assert (scenario.host.status, scenario.cluster_status) == (HostStatus.KNOWN, ClusterStatus.READY)


def test_an_ignored_validation_blocks_nothing_and_is_still_shown() -> None:
    no_route = msgspec.structs.replace(inventory(), routes=())
    records = site(host(HostStatus.DISCOVERING, inventory=no_route))
    assert Scenario(records).host.status is HostStatus.INSUFFICIENT
    assert records.cluster is not None
    ignoring = msgspec.structs.replace(records.cluster, ignored_host_validations=("has-default-route",))
    scenario = Scenario(msgspec.structs.replace(records, cluster=ignoring))
    assert scenario.host.status is HostStatus.KNOWN
    shown = {item.result.id: item.result.status for item in scenario.host.validations}
    assert shown["has-default-route"] is ValidationStatus.FAILURE


def test_some_validations_cannot_be_ignored() -> None:
    records = site(host(HostStatus.DISCOVERING, requested_hostname="-"))
    assert records.cluster is not None
    ignoring = msgspec.structs.replace(records.cluster, ignored_host_validations=("all",))
    assert Scenario(msgspec.structs.replace(records, cluster=ignoring)).host.status is HostStatus.INSUFFICIENT


def test_a_host_that_cannot_read_its_medium_is_disconnected() -> None:
    assert Scenario(site(host(media_connected=False))).host.status is HostStatus.DISCONNECTED


def test_a_host_that_is_not_approved_does_not_take_part() -> None:
    unapproved = host(id=OTHER_ID, approved=False)
    scenario = Scenario(site(host(**PREPARED), unapproved, status=ClusterStatus.PREPARING_FOR_INSTALLATION))
    assert scenario.cluster_status is ClusterStatus.INSTALLING
    assert scenario.records.hosts[OTHER_ID].status.is_before_install


def test_an_unresponsive_host_is_disconnected_until_it_checks_in() -> None:
    scenario = Scenario(site(host(HostStatus.DISCOVERING), rendezvous_ip="127.0.0.9"))
    scenario.after(LIMITS.disconnection - 1)
    assert scenario.host.status is HostStatus.KNOWN
    scenario.after(1)
    assert (scenario.host.status, scenario.cluster_status) == (HostStatus.DISCONNECTED, ClusterStatus.INSUFFICIENT)
    scenario.timers.checked_in(HOST_ID)
    scenario.reconcile()
    assert (scenario.host.status, scenario.cluster_status) == (HostStatus.KNOWN, ClusterStatus.READY)


@pytest.mark.parametrize(
    ("stage", "seconds", "status"),
    [
        (Stage.WRITING_IMAGE, LIMITS.disconnection_bootstrap, HostStatus.ERROR),
        (Stage.REBOOTING, LIMITS.disconnection_bootstrap, HostStatus.INSTALLING_IN_PROGRESS),
        (Stage.REBOOTING, 2 * LIMITS.stages[Stage.REBOOTING], HostStatus.INSTALLING_PENDING_USER_ACTION),
        (Stage.CONFIGURING, LIMITS.stages[Stage.CONFIGURING], HostStatus.ERROR),
    ],
)
def test_an_unresponsive_host_while_installing(stage: Stage, seconds: float, status: HostStatus) -> None:
    """Before the reboot it has failed; after the reboot it has the time of the stage to check in."""
    installing = host(HostStatus.INSTALLING_IN_PROGRESS, stage=at_stage(stage), bootstrap=True)
    scenario = Scenario(site(installing, status=ClusterStatus.INSTALLING))
    scenario.after(seconds)
    assert scenario.host.status is status


def test_progress_resets_the_stages_clock() -> None:
    installing = host(HostStatus.INSTALLING_IN_PROGRESS, stage=at_stage(Stage.WRITING_IMAGE, "1%"))
    scenario = Scenario(site(installing, status=ClusterStatus.INSTALLING))
    limit = LIMITS.stages[Stage.WRITING_IMAGE]
    for percent in ("2%", "3%"):
        scenario.clock.advance(limit - 1)
        scenario.timers.checked_in(HOST_ID)
        updated = msgspec.structs.replace(scenario.host, stage=at_stage(Stage.WRITING_IMAGE, percent))
        scenario.records = msgspec.structs.replace(scenario.records, hosts={HOST_ID: updated})
        scenario.reconcile()
        assert scenario.host.status is HostStatus.INSTALLING_IN_PROGRESS


def test_the_only_control_plane_in_error_fails_the_cluster_with_its_words() -> None:
    failure = "Failed at stage 'Writing image to disk': disk-write-failed: /dev/vda"
    failed = host(HostStatus.ERROR, status_info=failure, bootstrap=True)
    scenario = Scenario(site(failed, status=ClusterStatus.INSTALLING))
    assert scenario.cluster_status is ClusterStatus.ERROR
    assert "node0" in scenario.why
    assert failure in scenario.why


def test_a_cluster_can_do_without_one_worker_of_three() -> None:
    workers = [host(HostStatus.INSTALLING, id=f"w{n}", role=Role.WORKER) for n in range(2)]
    failed = host(HostStatus.ERROR, id="w2", role=Role.WORKER)
    scenario = Scenario(site(host(HostStatus.INSTALLING), *workers, failed, status=ClusterStatus.INSTALLING))
    assert scenario.cluster_status is ClusterStatus.INSTALLING


def test_the_next_deadline_is_never_farther_than_the_shortest_limit() -> None:
    scenario = Scenario(site(host(HostStatus.DISCOVERING), rendezvous_ip="127.0.0.9"))
    scenario.clock.advance(100)
    assert next_deadline(scenario.records, scenario.timers) == pytest.approx(LIMITS.disconnection - 100, abs=0.1)
    scenario.after(LIMITS.disconnection)
    assert next_deadline(scenario.records, scenario.timers) == LIMITS.shortest


def test_no_role_and_no_rendezvous_address_still_gives_one_control_plane() -> None:
    first, second = (host(HostStatus.DISCOVERING, id=name, role=Role.AUTO_ASSIGN) for name in ("a", "b"))
    scenario = Scenario(site(first, second, rendezvous_ip="192.0.2.1"))
    assert [item.suggested_role for item in scenario.records.hosts.values()] == [Role.MASTER, Role.WORKER]


@pytest.mark.parametrize("stage", [Stage.WRITING_IMAGE, Stage.REBOOTING, Stage.CONFIGURING])
def test_a_failed_worker_that_registers_starts_over_however_far_it_had_come(stage: Stage) -> None:
    workers = [host(HostStatus.INSTALLING, id=f"w{n}", role=Role.WORKER) for n in range(2)]
    failed = host(HostStatus.ERROR, id="w2", role=Role.WORKER, stage=at_stage(stage))
    scenario = Scenario(site(host(HostStatus.INSTALLING), *workers, failed, status=ClusterStatus.INSTALLING))
    updated = fire_host(
        HostEvent.REGISTERED, host_case(failed, scenario.records, scenario.timers), scenario.clock.now()
    )
    assert updated is not None
    assert updated.status is HostStatus.INSTALLING


@pytest.mark.parametrize(
    "status", [ClusterStatus.INSTALLING, ClusterStatus.FINALIZING, ClusterStatus.INSTALLED], ids=str
)
def test_a_late_worker_is_installed_once_it_is_approved_and_the_cluster_does_not_wait_for_it(
    status: ClusterStatus,
) -> None:
    leader = host(HostStatus.INSTALLED if status is not ClusterStatus.INSTALLING else HostStatus.INSTALLING)
    late = host(
        HostStatus.KNOWN, id="late", role=Role.WORKER, late=True, approved=False,
        inventory=inventory(mac="52:54:00:00:00:02", address="127.0.0.2", hostname="late"),
        connectivity=good_report([described(leader)]), **PREPARED,
    )  # fmt: skip
    unapproved = Scenario(site(leader, late, status=status))
    assert unapproved.records.hosts["late"].status.is_before_install
    scenario = Scenario(site(leader, msgspec.structs.replace(late, approved=True), status=status))
    reconciled = scenario.records
    assert reconciled.cluster is not None
    assert (reconciled.hosts["late"].status, reconciled.cluster.status) == (HostStatus.INSTALLING, status)
