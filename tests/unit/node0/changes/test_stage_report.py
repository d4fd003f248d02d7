"""Reported stages: forward only, of the host's role only, and `Failed` at any of them."""

from __future__ import annotations

import msgspec
import pytest

from agent.api.steps import Progress
from agent.model.intent import Role
from agent.model.states import STAGES, HostStatus, InstallRole, Stage
from node0.changes.stage_report import report_stage
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction
from node0.refusals import Conflict
from node0.state_machine import progress
from node0.store.records import HostRecord
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import HOST_ID, INFRA_ENV_ID, NOW, at_stage, host, site


def reported(before: HostRecord, stage: Stage, info: str = "") -> HostRecord:
    transaction = Transaction(site(before), Timers(ManualClock()), NOW)
    report_stage(INFRA_ENV_ID, HOST_ID, Progress(current_stage=stage, progress_info=info))(transaction)
    return transaction.records.hosts[HOST_ID]


def installing(stage: Stage | None = None, info: str = "") -> HostRecord:
    status = HostStatus.INSTALLING_IN_PROGRESS if stage else HostStatus.INSTALLING
    return host(status, bootstrap=True, stage=at_stage(stage, info) if stage else None)


@pytest.mark.parametrize(
    ("role", "percentages"),
    [
        (InstallRole.BOOTSTRAP, [9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 100]),
        (InstallRole.MASTER, [12, 25, 37, 50, 62, 75, 87, 100]),
        (InstallRole.WORKER, [11, 22, 33, 44, 55, 66, 77, 88, 100]),
    ],
)
def test_stage_percentages_are_those_of_the_role(role: InstallRole, percentages: list[int]) -> None:
    kind = Role.WORKER if role is InstallRole.WORKER else Role.MASTER
    hosts = [
        msgspec.structs.replace(installing(stage), role=kind, bootstrap=role is InstallRole.BOOTSTRAP)
        for stage in STAGES[role]
    ]
    assert [progress.of_host(host) for host in hosts] == percentages


def test_stages_may_be_skipped_and_none_follows_done() -> None:
    assert reported(installing(), Stage.WRITING_IMAGE).status is HostStatus.INSTALLING_IN_PROGRESS
    assert reported(installing(Stage.JOINED), Stage.DONE).status is HostStatus.INSTALLED


def test_the_same_stage_report_again_changes_nothing() -> None:
    before = installing(Stage.WRITING_IMAGE, "10%")
    assert reported(before, Stage.WRITING_IMAGE, "10%") is before


@pytest.mark.parametrize(
    ("before", "stage", "code"),
    [
        (installing(Stage.REBOOTING), Stage.WRITING_IMAGE, "stage-backwards"),
        (installing(), Stage.WAITING_FOR_IGNITION, "stage-not-of-role"),
        (host(HostStatus.KNOWN), Stage.INSTALLING, "host-not-installing"),
        (host(HostStatus.ERROR), Stage.FAILED, "host-not-installing"),
    ],
)
def test_each_invalid_stage_report_is_refused(before: HostRecord, stage: Stage, code: str) -> None:
    with pytest.raises(Conflict) as caught:
        reported(before, stage)
    assert caught.value.code == code


def test_a_failed_stage_report_keeps_the_stage_and_the_reason() -> None:
    failed = reported(installing(Stage.WRITING_IMAGE), Stage.FAILED, "disk-write-failed: /dev/vda")
    assert failed.status is HostStatus.ERROR
    assert failed.status_info == "Failed at stage 'Writing image to disk': disk-write-failed: /dev/vda"
    assert failed.stage is not None
    assert failed.stage.stage is Stage.WRITING_IMAGE
