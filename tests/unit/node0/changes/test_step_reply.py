"""The events that a host's replies cause."""

from __future__ import annotations

import pytest

from agent.api.steps import MEDIA_DISCONNECTED, StepReply, StepType
from agent.model.states import EventSeverity, HostStatus
from node0.changes.step_reply import accept_reply
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction
from node0.store.records import HostRecord
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import HOST_ID, INFRA_ENV_ID, NOW, host, site

PREPARING = host(HostStatus.PREPARING_FOR_INSTALLATION)


def replied(before: HostRecord, step: StepType, *outputs: str, exit_code: int = 0) -> Transaction:
    transaction = Transaction(site(before), Timers(ManualClock()), NOW)
    for output in outputs:
        reply = StepReply(step_type=step, step_id=f"{step}-00000000", exit_code=exit_code, output=output)
        accept_reply(INFRA_ENV_ID, HOST_ID, reply)(transaction)
    return transaction


def events(transaction: Transaction) -> list[tuple[str, EventSeverity]]:
    return [(event.name, event.severity) for event in transaction.events]


@pytest.mark.parametrize(("milliseconds", "names"), [(10, []), (11, ["disk_speed_slower_than_supported"])])
def test_a_disk_that_is_too_slow_makes_one_event(milliseconds: int, names: list[str]) -> None:
    output = f'{{"path": "/dev/vda", "io_sync_duration": {milliseconds}}}'
    transaction = replied(PREPARING, StepType.INSTALLATION_DISK_SPEED_CHECK, output, output)
    assert [name for name, _ in events(transaction)] == names


def test_a_lost_medium_makes_one_event_however_many_steps_fail() -> None:
    transaction = replied(host(), StepType.INVENTORY, "", "", exit_code=MEDIA_DISCONNECTED)
    assert events(transaction) == [("host_media_disconnected", EventSeverity.ERROR)]
    assert not transaction.records.hosts[HOST_ID].media_connected


def test_any_other_failure_makes_an_event_with_its_words() -> None:
    transaction = replied(host(), StepType.NTP_SYNCHRONIZER, "chronyd does not answer", exit_code=1)
    assert events(transaction) == [("host_step_failed", EventSeverity.WARNING)]
    assert "ntp-synchronizer failed: chronyd does not answer" in transaction.events[0].message
