"""Cancel and reset: in which states they are possible, and which reports they drop."""

from __future__ import annotations

import msgspec
import pytest

from agent.api.steps import StepReply, StepType
from agent.model.problems import Problem
from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.changes.reset import cancel_install, reset_host, reset_install
from node0.changes.step_reply import accept_reply
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction
from node0.store.records import HostRecord, Records
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import CLUSTER_ID, INFRA_ENV_ID, PREPARED, at_stage, host, site

H, C = HostStatus, ClusterStatus
LEADER, OTHER = "leader", "other"


class Site:
    def __init__(self, *hosts: HostRecord, status: ClusterStatus = C.INSTALLING) -> None:
        self.clock = ManualClock()
        self.timers = Timers(self.clock)
        self.records: Records = site(*hosts, status=status)
        self.events: list[str] = []

    def apply(self, change: Change) -> None:
        transaction = Transaction(self.records, self.timers, self.clock.now())
        change(transaction)
        self.records = reconcile(transaction.records, self.timers, transaction.now)
        self.events += [event.name for event in transaction.events]

    @property
    def cluster(self) -> ClusterStatus:
        assert self.records.cluster is not None
        return self.records.cluster.status

    def at(self, id: str) -> HostStatus:
        return self.records.hosts[id].status


def leader(status: HostStatus, stage: Stage | None = None) -> HostRecord:
    return host(status, id=LEADER, bootstrap=True, stage=at_stage(stage) if stage else None, **PREPARED)


def other(status: HostStatus, stage: Stage | None = None) -> HostRecord:
    return host(status, id=OTHER, stage=at_stage(stage) if stage else None, **PREPARED)


STOPPED = StepReply(step_type=StepType.STOP_INSTALLATION, step_id="stop-installation-00000000")


def test_a_reset_stops_hosts_that_run_the_live_image_and_waits_for_the_others() -> None:
    example = Site(
        leader(H.INSTALLING_IN_PROGRESS, Stage.WRITING_IMAGE), other(H.INSTALLING_IN_PROGRESS, Stage.CONFIGURING)
    )
    example.apply(reset_install(CLUSTER_ID))
    assert (example.cluster, example.at(LEADER), example.at(OTHER)) == (
        C.INSUFFICIENT,
        H.RESETTING,
        H.RESETTING_PENDING_USER_ACTION,
    )
    example.apply(accept_reply(example.records.hosts[LEADER], STOPPED))
    assert example.at(LEADER) is H.DISCOVERING
    reset = example.records.hosts[LEADER]
    assert (reset.stage, reset.inventory, reset.disk_speed, reset.images) == (None, None, None, None)
    assert reset.approved
    assert example.events[-1] == "cluster_installation_reset"


def test_a_host_that_stays_unresponsive_waits_for_the_user() -> None:
    example = Site(leader(H.ERROR, Stage.WRITING_IMAGE), status=C.ERROR)
    example.apply(reset_install(CLUSTER_ID))
    assert example.at(LEADER) is H.RESETTING
    example.clock.advance(3600)
    example.apply(lambda _transaction: None)
    assert example.at(LEADER) is H.RESETTING_PENDING_USER_ACTION


def test_a_cancelled_preparation_leaves_hosts_known() -> None:
    example = Site(leader(H.PREPARING_FOR_INSTALLATION), status=C.PREPARING_FOR_INSTALLATION)
    example.apply(cancel_install(CLUSTER_ID))
    assert (example.cluster, example.at(LEADER)) == (C.CANCELLED, H.KNOWN)
    example.apply(reset_install(CLUSTER_ID))
    assert (example.cluster, example.at(LEADER)) == (C.READY, H.KNOWN)


def test_a_cancelled_install_stays_cancelled_when_a_host_fails_or_registers() -> None:
    example = Site(leader(H.INSTALLING_IN_PROGRESS, Stage.WRITING_IMAGE), other(H.INSTALLED, Stage.DONE))
    example.apply(cancel_install(CLUSTER_ID))
    assert (example.at(LEADER), example.at(OTHER)) == (H.CANCELLED, H.INSTALLED)
    failed = msgspec.structs.replace(STOPPED, step_type=StepType.INSTALL, exit_code=1, error="killed")
    example.apply(accept_reply(example.records.hosts[LEADER], failed))
    assert (example.cluster, example.at(LEADER)) == (C.CANCELLED, H.CANCELLED)


@pytest.mark.parametrize("status", [C.INSUFFICIENT, C.READY, C.INSTALLED])
@pytest.mark.parametrize("change", [cancel_install, reset_install])
def test_there_has_to_be_an_install_to_cancel_or_reset(change: type, status: ClusterStatus) -> None:
    with pytest.raises(Problem) as caught:
        Site(leader(H.KNOWN), status=status).apply(change(CLUSTER_ID))
    assert caught.value.code == "nothing-to-take-back"


@pytest.mark.parametrize("status", [C.READY, C.FINALIZING, C.CANCELLED])
def test_a_host_is_reset_only_while_its_cluster_installs(status: ClusterStatus) -> None:
    example = Site(leader(H.KNOWN), status=status)
    with pytest.raises(Problem) as caught:
        example.apply(reset_host(INFRA_ENV_ID, LEADER))
    assert caught.value.code == "cluster-not-installing"
