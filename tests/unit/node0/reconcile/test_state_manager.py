"""Changes that wait together are written together; each fails and is answered by itself."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.model.states import HostStatus
from node0.cause import REQUEST_ID
from node0.reconcile.state_manager import StateManager
from node0.reconcile.transaction import Change, Transaction, no_change
from node0.refusals import Conflict, Unavailable
from node0.store.event_query import EventQuery
from node0.store.records import Records
from node0.store.store import Store
from tests.fakes.node0.clock import ManualClock
from tests.fakes.node0.records import host, site


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "node0.db")
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def state_manager(store: Store) -> StateManager:
    await store.save(Records(), site(), [])
    manager = StateManager(store=store, records=await store.load(), clock=ManualClock())
    await manager.apply()
    manager.changes = 0
    return manager


def add(id: str) -> Change:
    def change(transaction: Transaction) -> None:
        transaction.put_host(host(HostStatus.DISCOVERING, id=id, inventory=None))
        transaction.add_event("host_added", id)

    return change


def refuse(transaction: Transaction) -> None:
    add("never")(transaction)
    raise Conflict(code="refused", title="The change is not possible.")


def fail_writes_of(id: str, store: Store) -> None:
    """From now on, the database refuses the host `id`."""
    with sqlite3.connect(store.path) as connection:
        connection.execute(
            f"CREATE TRIGGER fault BEFORE INSERT ON host WHEN NEW.id = '{id}' BEGIN SELECT RAISE(FAIL, 'fault'); END"
        )
    connection.close()


async def together(state_manager: StateManager, *changes: Change) -> list[object]:
    return await asyncio.gather(*map(state_manager.apply, changes), return_exceptions=True)


async def test_changes_that_wait_together_are_announced_once_and_stored(
    state_manager: StateManager, store: Store
) -> None:
    await together(state_manager, *map(add, "abc"))
    assert state_manager.changes == 1
    assert await store.load() == state_manager.records
    assert [*state_manager.records.hosts] == ["a", "b", "c"]


async def test_more_changes_than_fit_into_a_transaction_are_all_made(state_manager: StateManager, store: Store) -> None:
    await together(state_manager, *(add(f"host{number}") for number in range(100)))
    assert len((await store.load()).hosts) == 100


async def test_each_caller_gets_the_records_after_its_own_change(state_manager: StateManager) -> None:
    first, second = await asyncio.gather(*map(state_manager.apply, map(add, "ab")))
    assert [*first.hosts] == ["a"]
    assert [*second.hosts] == ["a", "b"]


async def test_a_refused_change_leaves_nothing_behind_and_others_are_made(state_manager: StateManager) -> None:
    _, refused, _ = await together(state_manager, add("a"), refuse, add("b"))
    assert isinstance(refused, Conflict)
    assert [*state_manager.records.hosts] == ["a", "b"]


async def test_a_change_that_cannot_be_written_fails_alone(state_manager: StateManager, store: Store) -> None:
    fail_writes_of("b", store)
    answers = await together(state_manager, add("a"), add("b"), add("c"))
    assert [isinstance(answer, Unavailable) for answer in answers] == [False, True, False]
    assert [*state_manager.records.hosts] == ["a", "c"]
    assert await store.load() == state_manager.records


async def test_a_change_with_nothing_to_write_succeeds_while_others_cannot_be_written(
    state_manager: StateManager, store: Store
) -> None:
    fail_writes_of("a", store)
    failed, same = await together(state_manager, add("a"), no_change)
    assert isinstance(failed, Unavailable)
    assert same is state_manager.records
    assert state_manager.store_problem is failed


async def test_the_change_of_a_cancelled_caller_is_made(state_manager: StateManager, store: Store) -> None:
    caller = asyncio.create_task(state_manager.apply(add("a")))
    await asyncio.sleep(0)
    caller.cancel()
    await state_manager.apply(add("b"))
    assert caller.cancelled()
    assert [*(await store.load()).hosts] == ["a", "b"]


async def test_events_carry_the_request_that_causes_them(state_manager: StateManager) -> None:
    async def request(id: str) -> None:
        REQUEST_ID.set(f"request of {id}")
        await state_manager.apply(add(id))

    await asyncio.gather(*map(request, "ab"))
    found = await state_manager.events(EventQuery(message="a"))
    causes = {event.message: event.request_id for event in found.events if event.name == "host_added"}
    assert causes == {"a": "request of a"}
