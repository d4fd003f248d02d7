"""What a host's replies are told as, beside what they say about it."""

from __future__ import annotations

import pytest

from agent.api.steps import MEDIA_DISCONNECTED, StepReply, StepType
from agent.model.states import EventSeverity, HostStatus
from node0.changes.step_reply import accept_reply
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction
from node0.store.records import HostRecord
from tests.fakes.node0.clock import TurnedClock
from tests.fakes.node0.records import HOST_ID, INFRA_ENV_ID, NOW, host, site

PREPARING = host(HostStatus.PREPARING_FOR_INSTALLATION)


def replied(before: HostRecord, step: StepType, *outputs: str, exit_code: int = 0) -> Transaction:
    transaction = Transaction(site(before), Timers(TurnedClock()), NOW)
    for output in outputs:
        reply = StepReply(step_type=step, step_id=f"{step}-00000000", exit_code=exit_code, output=output)
        accept_reply(INFRA_ENV_ID, HOST_ID, reply)(transaction)
    return transaction


def told(transaction: Transaction) -> list[tuple[str, EventSeverity]]:
    return [(event.name, event.severity) for event in transaction.events]


@pytest.mark.parametrize(("milliseconds", "names"), [(10, []), (11, ["disk_speed_slower_than_supported"])])
def test_a_disk_that_is_too_slow_is_told_once(milliseconds: int, names: list[str]) -> None:
    output = f'{{"path": "/dev/vda", "io_sync_duration": {milliseconds}}}'
    transaction = replied(PREPARING, StepType.INSTALLATION_DISK_SPEED_CHECK, output, output)
    assert [name for name, _ in told(transaction)] == names


def test_a_medium_that_is_gone_is_told_once_however_many_steps_fail_by_it() -> None:
    transaction = replied(host(), StepType.INVENTORY, "", "", exit_code=MEDIA_DISCONNECTED)
    assert told(transaction) == [("host_media_disconnected", EventSeverity.ERROR)]
    assert not transaction.records.hosts[HOST_ID].media_connected


def test_any_other_failure_is_told_with_its_words() -> None:
    transaction = replied(host(), StepType.NTP_SYNCHRONIZER, "chronyd does not answer", exit_code=1)
    assert told(transaction) == [("host_step_failed", EventSeverity.WARNING)]
    assert "ntp-synchronizer failed: chronyd does not answer" in transaction.events[0].message
