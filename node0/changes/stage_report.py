"""A host reports the stage of its install. Stages only go forward, and `Failed` can come at any of them."""

from __future__ import annotations

import msgspec

from agent.api.steps import Progress
from agent.model.states import STAGES, Stage
from node0.reconcile.reconcile import fire_host, host_case
from node0.reconcile.state_manager import Change, Draft, host_of
from node0.refusals import Conflict
from node0.state_machine.host import INSTALLING, HostEvent
from node0.store.records import HostRecord, StageRecord, StageTime


def report_stage(infra_env_id: str, host_id: str, progress: Progress) -> Change:
    def change(draft: Draft) -> None:
        host = host_of(draft.records, infra_env_id, host_id)
        if _is_repeated(host, progress):
            return
        if host.status not in INSTALLING:
            raise Conflict(
                code="host-not-installing",
                title=f"Host {host.label} is {host.status} and cannot reach stage '{progress.current_stage}'.",
                remedy=host.status_info,
            )
        if progress.current_stage is Stage.FAILED:
            _fail(draft, host, progress)
        else:
            _advance(draft, host, progress)

    return change


def _is_repeated(host: HostRecord, progress: Progress) -> bool:
    reached = host.stage
    return reached is not None and (reached.stage, reached.info) == (progress.current_stage, progress.progress_info)


def _fail(draft: Draft, host: HostRecord, progress: Progress) -> None:
    case = host_case(host, draft.records, draft.watches, reason=progress.progress_info)
    failed = fire_host(HostEvent.FAILED, case, draft.now)
    assert failed is not None, "every installing state listens to FAILED"
    draft.put_host(failed)


def _advance(draft: Draft, host: HostRecord, progress: Progress) -> None:
    _check_order(host, progress.current_stage)
    same = host.stage is not None and host.stage.stage is progress.current_stage
    stage = StageRecord(
        stage=progress.current_stage,
        info=progress.progress_info,
        started_at=host.stage.started_at if same and host.stage else draft.now,
        updated_at=draft.now,
    )
    case = host_case(host, draft.records, draft.watches, stage=progress.current_stage)
    moved = fire_host(HostEvent.STAGE_REACHED, case, draft.now)
    assert moved is not None, "every installing state listens to STAGE_REACHED"
    done = host.stages_done if same or host.stage is None else (*host.stages_done, _left(host.stage, draft))
    draft.put_host(msgspec.structs.replace(moved, stage=stage, stages_done=done, updated_at=draft.now))
    info = f": {stage.info}" if stage.info else ""
    draft.tell(
        "host_install_progress_updated",
        f"Host: {host.label}, reached installation stage {stage.stage}{info}",
        host=moved,
    )


def _left(stage: StageRecord, draft: Draft) -> StageTime:
    return StageTime(stage=stage.stage, seconds=max(0.0, (draft.now - stage.started_at).total_seconds()))


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
