"""Control planes join one after the other, workers at any time, and no host before the control plane is up."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from agent.model.intent import Role
from agent.model.states import HostStatus, Stage
from node0.state_machine.join_turn import join_obstacle
from node0.store.records import HostRecord, JoinRecord
from tests.fakes.node0.records import NOW, at_stage, host, site

S = HostStatus


def member(name: str, role: Role, stage: Stage = Stage.CONFIGURING, **changes: object) -> HostRecord:
    fields: dict[str, object] = {"role": role, "requested_hostname": name, "stage": at_stage(stage), **changes}
    return host(S.INSTALLING_IN_PROGRESS, id=name, **fields)


def holding(record: HostRecord, minutes: int = 10) -> HostRecord:
    return msgspec.structs.replace(record, join=JoinRecord(token_id="t", expires_at=NOW + timedelta(minutes=minutes)))


LEADER = member("node0", Role.MASTER, Stage.WAITING_FOR_CONTROLLER, bootstrap=True)
MASTER = member("node1", Role.MASTER)
OTHER = member("node2", Role.MASTER)
WORKER = member("node3", Role.WORKER)


@pytest.mark.parametrize("candidate", [MASTER, WORKER])
@pytest.mark.parametrize("others", [(), (OTHER,), (holding(WORKER),)])
def test_a_host_whose_turn_it_is_has_no_obstacle(candidate: HostRecord, others: tuple[HostRecord, ...]) -> None:
    assert join_obstacle(candidate, site(*others, LEADER, candidate), NOW) == ""


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
    assert (join_obstacle(WORKER, site(leader, WORKER), NOW) == "") is is_up
    assert join_obstacle(WORKER, site(WORKER), NOW) == "waiting for the control plane"


def test_one_control_plane_waits_for_another() -> None:
    at_the_latest = f"{NOW + timedelta(minutes=10):%H:%M:%S} UTC at the latest"
    assert join_obstacle(MASTER, site(LEADER, MASTER, holding(OTHER)), NOW) == (
        f"waiting for node2 to join the control plane first, until {at_the_latest}"
    )


def test_a_host_with_a_credential_may_request_it_again() -> None:
    assert join_obstacle(holding(MASTER), site(LEADER, holding(MASTER), OTHER), NOW) == ""


@pytest.mark.parametrize(
    "other",
    [
        holding(OTHER, minutes=-1),
        msgspec.structs.replace(holding(OTHER), status=S.ERROR),
        msgspec.structs.replace(holding(OTHER), stage=at_stage(Stage.JOINED)),
    ],
    ids=["expired", "failed", "joined"],
)
def test_no_host_waits_for_a_control_plane_that_has_joined(other: HostRecord) -> None:
    assert join_obstacle(MASTER, site(LEADER, MASTER, other), NOW) == ""


@pytest.mark.parametrize(
    "changes",
    [{"approved": False}, {"status": S.ERROR}, {"stage": at_stage(Stage.REBOOTING)}, {"stage": None}],
    ids=["not approved", "failed", "not booted", "not started"],
)
def test_only_an_approved_host_that_booted_its_disk_joins(changes: dict[str, object]) -> None:
    worker = msgspec.structs.replace(WORKER, **changes)
    assert "has not started from its disk to join" in join_obstacle(worker, site(LEADER, worker), NOW)
