"""What a host's replies are told as, beside what they say about it."""

from __future__ import annotations

import pytest

from agent.api.steps import MEDIA_DISCONNECTED, StepReply, StepType
from agent.model.states import HostStatus, Severity
from node0.changes.step_reply import accept_reply
from node0.reconcile.state_manager import Draft
from node0.reconcile.timers import Stopwatches
from node0.store.records import HostRecord
from tests.fakes.clock import TurnedClock
from tests.fakes.records import HOST_ID, INFRA_ENV_ID, NOW, host, site

PREPARING = host(HostStatus.PREPARING_FOR_INSTALLATION)


def replied(before: HostRecord, step: StepType, *outputs: str, exit_code: int = 0) -> Draft:
    draft = Draft(site(before), Stopwatches(TurnedClock()), NOW)
    for output in outputs:
        reply = StepReply(step_type=step, step_id=f"{step}-00000000", exit_code=exit_code, output=output)
        accept_reply(INFRA_ENV_ID, HOST_ID, reply)(draft)
    return draft


def told(draft: Draft) -> list[tuple[str, Severity]]:
    return [(event.name, event.severity) for event in draft.events]


@pytest.mark.parametrize(("milliseconds", "names"), [(10, []), (11, ["disk_speed_slower_than_supported"])])
def test_a_disk_that_is_too_slow_is_told_once(milliseconds: int, names: list[str]) -> None:
    output = f'{{"path": "/dev/vda", "io_sync_duration": {milliseconds}}}'
    draft = replied(PREPARING, StepType.INSTALLATION_DISK_SPEED_CHECK, output, output)
    assert [name for name, _ in told(draft)] == names


def test_a_medium_that_is_gone_is_told_once_however_many_steps_fail_by_it() -> None:
    draft = replied(host(), StepType.INVENTORY, "", "", exit_code=MEDIA_DISCONNECTED)
    assert told(draft) == [("host_media_disconnected", Severity.ERROR)]
    assert not draft.records.hosts[HOST_ID].media_connected


def test_any_other_failure_is_told_with_its_words() -> None:
    draft = replied(host(), StepType.NTP_SYNCHRONIZER, "chronyd does not answer", exit_code=1)
    assert told(draft) == [("host_step_failed", Severity.WARNING)]
    assert "ntp-synchronizer failed: chronyd does not answer" in draft.events[0].message
