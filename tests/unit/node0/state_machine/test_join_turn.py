"""Hosts join once the control plane is up, and control planes enter etcd one after the other."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from agent.model.intent import Role
from agent.model.states import HostStatus, Stage
from node0.state_machine.join_turn import etcd_obstacle, join_obstacle
from node0.store.records import HostRecord, JoinRecord
from tests.fakes.node0.records import NOW, at_stage, host, site

S = HostStatus


def member(name: str, role: Role, stage: Stage = Stage.CONFIGURING, **changes: object) -> HostRecord:
    fields: dict[str, object] = {"role": role, "requested_hostname": name, "stage": at_stage(stage), **changes}
    return host(S.INSTALLING_IN_PROGRESS, id=name, **fields)


def holding(record: HostRecord, **changes: object) -> HostRecord:
    """With a credential."""
    join = JoinRecord(token_id="t", expires_at=NOW + timedelta(minutes=10))
    return msgspec.structs.replace(record, join=msgspec.structs.replace(join, **changes))


def entering(record: HostRecord, minutes: int = 10, **changes: object) -> HostRecord:
    return holding(record, enters_etcd_until=NOW + timedelta(minutes=minutes), **changes)


LEADER = member("node0", Role.MASTER, Stage.WAITING_FOR_CONTROLLER, bootstrap=True)
MASTER = member("node1", Role.MASTER)
OTHER = member("node2", Role.MASTER)
WORKER = member("node3", Role.WORKER)


@pytest.mark.parametrize("candidate", [MASTER, WORKER])
@pytest.mark.parametrize("others", [(), (OTHER,), (holding(WORKER),)])
def test_a_host_whose_turn_it_is_has_no_obstacle(candidate: HostRecord, others: tuple[HostRecord, ...]) -> None:
    assert join_obstacle(candidate, site(*others, LEADER, candidate)) == ""


@pytest.mark.parametrize(
    ("stage", "is_up"),
    [
        (Stage.WAITING_FOR_BOOTKUBE, False),
        (Stage.WAITING_FOR_CONTROLLER, True),
        (Stage.REBOOTING, True),
        (Stage.DONE, True),
    ],
)
def test_no_host_joins_before_a_control_plane_is_ready(stage: Stage, is_up: bool) -> None:
    leader = msgspec.structs.replace(LEADER, stage=at_stage(stage))
    assert (join_obstacle(WORKER, site(leader, WORKER)) == "") is is_up
    assert join_obstacle(WORKER, site(WORKER)) == "waiting for the control plane"


def test_one_control_plane_waits_for_another_to_enter_etcd() -> None:
    at_the_latest = f"{NOW + timedelta(minutes=10):%H:%M:%S} UTC at the latest"
    assert etcd_obstacle(holding(MASTER), site(LEADER, holding(MASTER), entering(OTHER)), NOW) == (
        f"waiting for node2 to enter etcd first, until {at_the_latest}"
    )
    assert join_obstacle(MASTER, site(LEADER, MASTER, entering(OTHER))) == ""


def test_a_host_that_enters_etcd_may_request_its_turn_again() -> None:
    assert etcd_obstacle(entering(MASTER), site(LEADER, entering(MASTER), holding(OTHER)), NOW) == ""


@pytest.mark.parametrize(
    "other",
    [
        holding(OTHER),
        entering(OTHER, minutes=-1),
        entering(OTHER, votes=True),
        msgspec.structs.replace(entering(OTHER), status=S.ERROR),
        msgspec.structs.replace(entering(OTHER), stage=at_stage(Stage.JOINED)),
    ],
    ids=["not entering", "expired", "votes", "failed", "joined"],
)
def test_no_host_waits_for_a_control_plane_that_does_not_enter_etcd(other: HostRecord) -> None:
    assert etcd_obstacle(holding(MASTER), site(LEADER, holding(MASTER), other), NOW) == ""


@pytest.mark.parametrize("host", [holding(WORKER), MASTER], ids=["worker", "without a credential"])
def test_only_a_control_plane_with_a_credential_enters_etcd(host: HostRecord) -> None:
    assert "has no credential to join the control plane" in etcd_obstacle(host, site(LEADER, host), NOW)


@pytest.mark.parametrize(
    "changes",
    [{"approved": False}, {"status": S.ERROR}, {"stage": at_stage(Stage.REBOOTING)}, {"stage": None}],
    ids=["not approved", "failed", "not booted", "not started"],
)
def test_only_an_approved_host_that_booted_its_disk_joins(changes: dict[str, object]) -> None:
    worker = msgspec.structs.replace(WORKER, **changes)
    assert "has not started from its disk to join" in join_obstacle(worker, site(LEADER, worker))
