"""A host reports the stage of its install. Stages only go forward; `Failed` can follow any of them."""

from __future__ import annotations

import msgspec

from agent.api.steps import Progress
from agent.model.states import STAGES, Stage
from node0.reconcile.evaluate import fire_host, host_case
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict
from node0.state_machine.host import INSTALLING, HostEvent
from node0.store.records import HostRecord, StageRecord, StageTime


def report_stage(infra_env_id: str, host_id: str, progress: Progress) -> Change:
    def change(transaction: Transaction) -> None:
        host = transaction.records.get_host(infra_env_id, host_id)
        if _is_repeated(host, progress):
            return
        if host.status not in INSTALLING:
            raise Conflict(
                code="host-not-installing",
                title=f"Host {host.label} is {host.status} and cannot reach stage '{progress.current_stage}'.",
                remedy=host.status_info,
            )
        if progress.current_stage is Stage.FAILED:
            _fail(transaction, host, progress)
        else:
            _advance(transaction, host, progress)

    return change


def _is_repeated(host: HostRecord, progress: Progress) -> bool:
    reached = host.stage
    return reached is not None and (reached.stage, reached.info) == (progress.current_stage, progress.progress_info)


def _fail(transaction: Transaction, host: HostRecord, progress: Progress) -> None:
    case = host_case(host, transaction.records, transaction.timers, reason=progress.progress_info)
    failed = fire_host(HostEvent.FAILED, case, transaction.now)
    assert failed is not None, "every installing state has a transition for FAILED"
    transaction.put_host(failed)


def _advance(transaction: Transaction, host: HostRecord, progress: Progress) -> None:
    _check_order(host, progress.current_stage)
    same = host.stage is not None and host.stage.stage is progress.current_stage
    stage = StageRecord(
        stage=progress.current_stage,
        info=progress.progress_info,
        started_at=host.stage.started_at if same and host.stage else transaction.now,
        updated_at=transaction.now,
    )
    case = host_case(host, transaction.records, transaction.timers, stage=progress.current_stage)
    moved = fire_host(HostEvent.STAGE_REACHED, case, transaction.now)
    assert moved is not None, "every installing state has a transition for STAGE_REACHED"
    done = host.stages_done if same or host.stage is None else (*host.stages_done, _left(host.stage, transaction))
    transaction.put_host(msgspec.structs.replace(moved, stage=stage, stages_done=done, updated_at=transaction.now))
    info = f": {stage.info}" if stage.info else ""
    transaction.add_event(
        "host_install_progress_updated",
        f"Host: {host.label}, reached installation stage {stage.stage}{info}",
        host=moved,
    )


def _left(stage: StageRecord, transaction: Transaction) -> StageTime:
    return StageTime(stage=stage.stage, seconds=max(0.0, (transaction.now - stage.started_at).total_seconds()))


def _check_order(host: HostRecord, stage: Stage) -> None:
    order = STAGES[host.install_role]
    if stage not in order:
        raise Conflict(
            code="stage-not-of-role",
            title=f"Host {host.label} is {host.install_role}; stage '{stage}' is not one of its stages.",
        )
    if host.stage is not None and order.index(stage) < order.index(host.stage.stage):
        raise Conflict(
            code="stage-backwards",
            title=f"Host {host.label} has reached '{host.stage.stage}' and cannot go back to '{stage}'.",
        )
