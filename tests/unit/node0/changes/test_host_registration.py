"""A host registers again: one that has failed is waited for and starts over; a failed measurement is repeated."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from agent.api.checks import DiskSpeedReply
from agent.api.hosts import HostRegister
from agent.model.intent import Role
from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.changes.host_registration import register_host
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction
from node0.store.records import DiskSpeed, HostRecord, JoinRecord, Records
from node0.validations.host.hardware.no_boot_loop import STARTS
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import INFRA_ENV_ID, NOW, SPEC, at_stage, cluster, host, site

FAILED_ID = "44444444-4444-4444-8444-444444444444"
JOIN = JoinRecord(token_id="t", expires_at=NOW + timedelta(minutes=30))
LEADER = host(HostStatus.INSTALLING_IN_PROGRESS, bootstrap=True, stage=at_stage(Stage.WAITING_FOR_CONTROLLER))


class Site:
    """node0 and one more host, which the cluster requires and which has failed at `stage`."""

    def __init__(self, role: Role, stage: Stage, *, leader: HostRecord = LEADER) -> None:
        failed = host(
            HostStatus.ERROR, id=FAILED_ID, role=role, requested_hostname="beta", stage=at_stage(stage), join=JOIN,
            status_info=f"Failed at stage '{stage}': out of order",
        )  # fmt: skip
        spec = msgspec.structs.replace(SPEC, control_plane_count=2 if role is Role.MASTER else 1)
        records = msgspec.structs.replace(site(leader, failed), cluster=cluster(ClusterStatus.INSTALLING, spec))
        self.timers = Timers(ManualClock())
        self.records: Records = reconcile(records, self.timers, NOW)

    def register(self) -> None:
        transaction = Transaction(self.records, self.timers, NOW)
        register_host(INFRA_ENV_ID, HostRegister(host_id=FAILED_ID), token_id="t2")(transaction)
        self.records = reconcile(transaction.records, self.timers, NOW)

    @property
    def cluster(self) -> tuple[ClusterStatus, str]:
        assert self.records.cluster is not None
        return self.records.cluster.status, self.records.cluster.status_info

    @property
    def host(self) -> HostRecord:
        return self.records.hosts[FAILED_ID]


@pytest.mark.parametrize("role", [Role.MASTER, Role.WORKER])
@pytest.mark.parametrize("stage", [Stage.WRITING_IMAGE, Stage.REBOOTING, Stage.CONFIGURING])
def test_the_cluster_waits_for_a_failed_host_that_it_needs(role: Role, stage: Stage) -> None:
    example = Site(role, stage)
    assert example.cluster == (
        ClusterStatus.INSTALLING_PENDING_USER_ACTION,
        "The cluster waits for failed hosts. Boot them from the ISO again: their installs start over. "
        f"beta: Failed at stage '{stage}': out of order",
    )
    assert example.records.hosts[LEADER.id].status is HostStatus.INSTALLING_IN_PROGRESS
    example.register()
    assert example.cluster == (ClusterStatus.INSTALLING, "The install is in progress.")
    assert (example.host.status, example.host.stage, example.host.join) == (HostStatus.INSTALLING, None, None)
    assert not example.host.late


def test_a_failure_of_node0_fails_the_cluster() -> None:
    example = Site(Role.MASTER, Stage.WRITING_IMAGE, leader=msgspec.structs.replace(LEADER, status=HostStatus.ERROR))
    assert example.cluster[0] is ClusterStatus.ERROR
    example.register()
    assert example.host.status is HostStatus.ERROR


@pytest.mark.parametrize(("error", "is_kept"), [("", True), ("disk-error: Input/output error", False)])
def test_an_agent_that_starts_again_measures_the_disk_again_only_when_that_had_failed(
    error: str, is_kept: bool
) -> None:
    """In the same boot of the host."""
    measured = DiskSpeed(
        path="/dev/vda", reply=None if error else DiskSpeedReply(path="/dev/vda", io_sync_duration=1), error=error
    )
    before = host(HostStatus.INSUFFICIENT, boot_id="1", disk_speed=measured)
    transaction = Transaction(site(before), Timers(ManualClock()), NOW)
    register_host(INFRA_ENV_ID, HostRegister(host_id=before.id, boot_id="1"), token_id="t2")(transaction)
    assert (transaction.records.hosts[before.id].disk_speed is not None) == is_kept


WHILE_INSTALLING = HostStatus.INSTALLING_IN_PROGRESS
WAITS = HostStatus.INSTALLING_PENDING_USER_ACTION


@pytest.mark.parametrize(
    ("before", "starts", "boot_id", "after"),
    [
        pytest.param(WHILE_INSTALLING, 1, "2", HostStatus.INSTALLING, id="its disk was replaced"),
        pytest.param(WHILE_INSTALLING, STARTS, "2", WAITS, id="its disk keeps nothing"),
        pytest.param(WAITS, STARTS, "1", WAITS, id="its agent starts again while it waits"),
        pytest.param(WAITS, STARTS, "2", HostStatus.INSTALLING, id="the user boots it"),
    ],
)
def test_a_host_that_has_lost_its_installed_system_starts_over_until_that_repeats(
    before: HostStatus, starts: int, boot_id: str, after: HostStatus
) -> None:
    """After the reboot our agent registers only where no disk has this host's installed system."""
    lost = host(before, boot_id="1", starts=(NOW,) * starts, stage=at_stage(Stage.CONFIGURING), join=JOIN)
    transaction = Transaction(site(lost, status=ClusterStatus.INSTALLING), Timers(ManualClock()), NOW)
    register_host(INFRA_ENV_ID, HostRegister(host_id=lost.id, boot_id=boot_id), token_id="t2")(transaction)
    found = transaction.records.hosts[lost.id]
    assert found.status is after
    assert (found.stage is None, found.join is None) == (after is HostStatus.INSTALLING,) * 2


def test_a_host_has_its_name_before_its_inventory_has_come() -> None:
    transaction = Transaction(site(), Timers(ManualClock()), NOW)
    register_host(INFRA_ENV_ID, HostRegister(host_id=FAILED_ID, hostname="node1"), token_id="t")(transaction)
    assert [event.message for event in transaction.events] == ["Host node1: Successfully registered"]
    assert transaction.records.hosts[FAILED_ID].label == "node1"
