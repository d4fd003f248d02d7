"""What records lead to by themselves, and when they have to be reconciled again."""

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
from tests.fakes.agent.agent import good_report, inventory
from tests.fakes.node0.clock import TurnedClock
from tests.fakes.node0.records import HOST_ID, PREPARED, at_stage, host, site

LIMITS = Limits()
OTHER_ID = "44444444-4444-4444-8444-444444444444"


class Watched:
    """Records under a clock."""

    def __init__(self, records: Records) -> None:
        self.clock = TurnedClock()
        self.timers = Timers(self.clock)
        self.records = records
        self.reconcile()

    def reconcile(self) -> Records:
        self.records = reconcile(self.records, self.timers, self.clock.now())
        return self.records

    def after(self, seconds: float) -> Records:
        self.clock.turn(seconds)
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
    watched = Watched(site(host(HostStatus.DISCOVERING)))
    assert (watched.host.status, watched.cluster_status) == (HostStatus.KNOWN, ClusterStatus.READY)
    assert watched.host.bootstrap


def test_reconciled_records_stay_the_same_object() -> None:
    watched = Watched(site(host(HostStatus.DISCOVERING)))
    assert reconcile(watched.records, watched.timers, watched.clock.now()) is watched.records


def test_preparing_goes_all_the_way_to_installing() -> None:
    watched = Watched(site(host(**PREPARED), status=ClusterStatus.PREPARING_FOR_INSTALLATION))
    assert (watched.host.status, watched.cluster_status) == (HostStatus.INSTALLING, ClusterStatus.INSTALLING)


@pytest.mark.parametrize("missing", sorted(PREPARED))
def test_no_install_starts_before_the_last_answer_is_there(missing: str) -> None:
    watched = Watched(site(host(**{**PREPARED, missing: None}), status=ClusterStatus.PREPARING_FOR_INSTALLATION))
    assert watched.host.status is HostStatus.PREPARING_FOR_INSTALLATION
    watched.timers.checked_in(HOST_ID)
    watched.clock.turn(LIMITS.preparing_host)
    watched.timers.checked_in(HOST_ID)
    watched.reconcile()
    assert (watched.host.status, watched.cluster_status) == (HostStatus.PREPARING_FAILED, ClusterStatus.INSUFFICIENT)
    assert "prepare-timeout" in watched.host.status_info
    assert "node0 is preparing-failed" in watched.why
    answered = msgspec.structs.replace(watched.host, **PREPARED)
    watched.records = msgspec.structs.replace(watched.records, hosts={HOST_ID: answered})
    watched.reconcile()
    assert (watched.host.status, watched.cluster_status) == (HostStatus.KNOWN, ClusterStatus.READY)


def test_an_ignored_validation_blocks_nothing_and_is_still_shown() -> None:
    no_route = msgspec.structs.replace(inventory(), routes=())
    records = site(host(HostStatus.DISCOVERING, inventory=no_route))
    assert Watched(records).host.status is HostStatus.INSUFFICIENT
    assert records.cluster is not None
    ignoring = msgspec.structs.replace(records.cluster, ignored_host_validations=("has-default-route",))
    watched = Watched(msgspec.structs.replace(records, cluster=ignoring))
    assert watched.host.status is HostStatus.KNOWN
    shown = {item.result.id: item.result.status for item in watched.host.validations}
    assert shown["has-default-route"] is ValidationStatus.FAILURE


def test_some_validations_cannot_be_ignored() -> None:
    records = site(host(HostStatus.DISCOVERING, requested_hostname="-"))
    assert records.cluster is not None
    ignoring = msgspec.structs.replace(records.cluster, ignored_host_validations=("all",))
    assert Watched(msgspec.structs.replace(records, cluster=ignoring)).host.status is HostStatus.INSUFFICIENT


def test_a_host_that_cannot_read_its_medium_is_disconnected() -> None:
    assert Watched(site(host(media_connected=False))).host.status is HostStatus.DISCONNECTED


def test_a_host_that_is_not_approved_does_not_take_part() -> None:
    unapproved = host(id=OTHER_ID, approved=False)
    watched = Watched(site(host(**PREPARED), unapproved, status=ClusterStatus.PREPARING_FOR_INSTALLATION))
    assert watched.cluster_status is ClusterStatus.INSTALLING
    assert watched.records.hosts[OTHER_ID].status.is_before_install


def test_an_unresponsive_host_is_disconnected_until_it_checks_in() -> None:
    watched = Watched(site(host(HostStatus.DISCOVERING), rendezvous_ip="127.0.0.9"))
    watched.after(LIMITS.disconnection - 1)
    assert watched.host.status is HostStatus.KNOWN
    watched.after(1)
    assert (watched.host.status, watched.cluster_status) == (HostStatus.DISCONNECTED, ClusterStatus.INSUFFICIENT)
    watched.timers.checked_in(HOST_ID)
    watched.reconcile()
    assert (watched.host.status, watched.cluster_status) == (HostStatus.KNOWN, ClusterStatus.READY)


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
    """Before the reboot it is a lost host; after it, the host has the time of the stage to come back."""
    installing = host(HostStatus.INSTALLING_IN_PROGRESS, stage=at_stage(stage), bootstrap=True)
    watched = Watched(site(installing, status=ClusterStatus.INSTALLING))
    watched.after(seconds)
    assert watched.host.status is status


def test_progress_resets_the_stages_clock() -> None:
    installing = host(HostStatus.INSTALLING_IN_PROGRESS, stage=at_stage(Stage.WRITING_IMAGE, "1%"))
    watched = Watched(site(installing, status=ClusterStatus.INSTALLING))
    limit = LIMITS.stages[Stage.WRITING_IMAGE]
    for percent in ("2%", "3%"):
        watched.clock.turn(limit - 1)
        watched.timers.checked_in(HOST_ID)
        moved = msgspec.structs.replace(watched.host, stage=at_stage(Stage.WRITING_IMAGE, percent))
        watched.records = msgspec.structs.replace(watched.records, hosts={HOST_ID: moved})
        watched.reconcile()
        assert watched.host.status is HostStatus.INSTALLING_IN_PROGRESS


def test_the_only_control_plane_in_error_fails_the_cluster_with_its_words() -> None:
    words = "Failed at stage 'Writing image to disk': disk-write-failed: /dev/vda"
    failed = host(HostStatus.ERROR, status_info=words, bootstrap=True)
    watched = Watched(site(failed, status=ClusterStatus.INSTALLING))
    assert watched.cluster_status is ClusterStatus.ERROR
    assert "node0" in watched.why
    assert words in watched.why


def test_a_cluster_can_do_without_one_worker_of_three() -> None:
    workers = [host(HostStatus.INSTALLING, id=f"w{n}", role=Role.WORKER) for n in range(2)]
    failed = host(HostStatus.ERROR, id="w2", role=Role.WORKER)
    watched = Watched(site(host(HostStatus.INSTALLING), *workers, failed, status=ClusterStatus.INSTALLING))
    assert watched.cluster_status is ClusterStatus.INSTALLING


def test_the_next_deadline_is_never_farther_than_the_shortest_limit() -> None:
    watched = Watched(site(host(HostStatus.DISCOVERING), rendezvous_ip="127.0.0.9"))
    watched.clock.turn(100)
    assert next_deadline(watched.records, watched.timers) == pytest.approx(LIMITS.disconnection - 100, abs=0.1)
    watched.after(LIMITS.disconnection)
    assert next_deadline(watched.records, watched.timers) == LIMITS.shortest


def test_no_role_and_no_rendezvous_address_still_gives_one_control_plane() -> None:
    first, second = (host(HostStatus.DISCOVERING, id=name, role=Role.AUTO_ASSIGN) for name in ("a", "b"))
    watched = Watched(site(first, second, rendezvous_ip="192.0.2.1"))
    assert [item.suggested_role for item in watched.records.hosts.values()] == [Role.MASTER, Role.WORKER]


@pytest.mark.parametrize("stage", [Stage.WRITING_IMAGE, Stage.REBOOTING, Stage.CONFIGURING])
def test_a_failed_worker_that_registers_starts_over_however_far_it_had_come(stage: Stage) -> None:
    workers = [host(HostStatus.INSTALLING, id=f"w{n}", role=Role.WORKER) for n in range(2)]
    failed = host(HostStatus.ERROR, id="w2", role=Role.WORKER, stage=at_stage(stage))
    watched = Watched(site(host(HostStatus.INSTALLING), *workers, failed, status=ClusterStatus.INSTALLING))
    moved = fire_host(HostEvent.REGISTERED, host_case(failed, watched.records, watched.timers), watched.clock.now())
    assert moved is not None
    assert moved.status is HostStatus.INSTALLING


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
    unapproved = Watched(site(leader, late, status=status))
    assert unapproved.records.hosts["late"].status.is_before_install
    watched = Watched(site(leader, msgspec.structs.replace(late, approved=True), status=status))
    reconciled = watched.records
    assert reconciled.cluster is not None
    assert (reconciled.hosts["late"].status, reconciled.cluster.status) == (HostStatus.INSTALLING, status)
