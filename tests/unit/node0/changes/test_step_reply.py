"""What a host's replies change, and the events that they cause."""

from __future__ import annotations

import msgspec
import pytest

from agent.api.steps import MEDIA_DISCONNECTED, StepReply, StepType
from agent.model.inventory import Inventory
from agent.model.states import EventSeverity, HostStatus
from node0.changes.step_reply import accept_reply
from node0.changes.step_results import LONGEST_WORDS
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Transaction, no_change
from node0.refusals import BadRequest
from node0.store.records import HostRecord
from tests.fakes.agent.agent import inventory
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import HOST_ID, NOW, host, site

PREPARING = host(HostStatus.PREPARING_FOR_INSTALLATION)


def replied(before: HostRecord, step: StepType, *outputs: str, exit_code: int = 0) -> Transaction:
    transaction = Transaction(site(before), Timers(ManualClock()), NOW)
    for output in outputs:
        reply = StepReply(step_type=step, step_id=f"{step}-00000000", exit_code=exit_code, output=output)
        accept_reply(transaction.records.hosts[HOST_ID], reply)(transaction)
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


def test_the_words_of_a_host_are_limited_to_what_a_console_shows() -> None:
    transaction = replied(PREPARING, StepType.INSTALLATION_DISK_SPEED_CHECK, "y" * 100_000, exit_code=1)
    measured = transaction.records.hosts[HOST_ID].disk_speed
    assert measured is not None
    assert LONGEST_WORDS <= len(measured.error) < LONGEST_WORDS + 10
    assert all(len(event.message) < LONGEST_WORDS + 200 for event in transaction.events)


def inventory_reply(machine: Inventory) -> StepReply:
    return StepReply(step_type=StepType.INVENTORY, step_id="inventory-0", output=msgspec.json.encode(machine).decode())


def test_a_reply_that_the_record_has_already_changes_nothing() -> None:
    assert accept_reply(host(inventory=inventory()), inventory_reply(inventory())) is no_change


def test_a_reply_after_the_medium_was_lost_is_news_even_if_it_is_the_same() -> None:
    record = host(inventory=inventory(), media_connected=False)
    transaction = Transaction(site(record), Timers(ManualClock()), NOW)
    accept_reply(record, inventory_reply(inventory()))(transaction)
    assert transaction.records.hosts[HOST_ID].media_connected


def test_a_reply_keeps_the_parts_of_the_record_that_are_the_same() -> None:
    before = host(inventory=inventory())
    transaction = Transaction(site(before), Timers(ManualClock()), NOW)
    accept_reply(before, inventory_reply(inventory(hostname="renamed")))(transaction)
    found = transaction.records.hosts[HOST_ID].inventory
    assert found == inventory(hostname="renamed")
    assert found is not None
    assert before.inventory is not None
    assert found.disks is before.inventory.disks


def test_output_that_cannot_be_read_is_refused_only_while_the_host_is_checked() -> None:
    reply = StepReply(step_type=StepType.INVENTORY, step_id="inventory-0", output="{")
    with pytest.raises(BadRequest, match="step inventory cannot be read"):
        accept_reply(host(), reply)
    assert accept_reply(host(HostStatus.INSTALLING), reply) is no_change
