"""Makes all changes of records: reconciles after each, writes those that wait together, then wakes waiters."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path

from agent.api.events import Event
from agent.machine.clock import Clock
from node0.reconcile.batch import Batch, WaitingChange
from node0.reconcile.budget import Budget
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction, no_change
from node0.refusals import Unavailable
from node0.state_machine.limits import Limits
from node0.store.event_query import EventQuery, Found
from node0.store.host_diff import HostDiffs
from node0.store.records import HostRecord, Records
from node0.store.store import Store

log = logging.getLogger(__name__)

# The maximum number of changes in one transaction of the database: the first one waits for the others.
AT_ONCE = 32


class StateManager:
    """Holds the records in memory, equal to those in the store. Waiters are woken after the write, never before.

    changes: how often waiters were woken: by each written change, and when the store becomes unwritable or writable.
    store_problem, store_fails: why the last write failed, and an event that is set until a write succeeds.
    last_event: id of the last event in the store.
    budget: how long changes have blocked all requests.
    """

    def __init__(
        self, *, store: Store, records: Records, clock: Clock, limits: Limits | None = None, last_event: int = 0
    ) -> None:
        self.records = records
        self.changes = 0
        self.store_problem: Unavailable | None = None
        self.store_fails = asyncio.Event()
        self.timers = Timers(clock, limits)
        self.budget = Budget()
        self._store = store
        self._clock = clock
        self._cache = EvaluationCache()
        self._waiting: deque[WaitingChange] = deque()
        self._making: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._announced = asyncio.Condition()
        self._host_waiters: dict[str, asyncio.Event] = {}
        self._event_at_start = self._last_event = last_event
        self._last_event_of: dict[str, int] = {}

    async def apply(self, change: Change = no_change) -> Records:
        """Make `change`, and reconcile; returns the records after it. If it raises, nothing has changed.

        If the caller is cancelled, the change still completes, so that memory and disk stay equal.
        """
        waiting = WaitingChange(change, copy_context(), asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._making is None or self._making.done():
            self._making = asyncio.create_task(self._make_waiting(), name="make changes")
        return await asyncio.shield(waiting.answer)

    async def _make_waiting(self) -> None:
        """Changes that come while others are written are written together."""
        async with self._one_at_a_time:
            while self._waiting:
                together = [self._waiting.popleft() for _ in range(min(len(self._waiting), AT_ONCE))]
                await self._make(together)

    async def _make(self, together: list[WaitingChange]) -> None:
        batch = Batch(self.records)
        try:
            for waiting in together:
                batch.make(waiting, Transaction(batch.after, self.timers, self._clock.now()), self._cache, self.budget)
                await asyncio.sleep(0)  # requests that only read are answered in between
            await self._write(batch)
        except Unavailable as problem:
            await self._make_singly(batch, problem)
        except Exception as error:  # noqa: BLE001 - the callers get it
            for waiting in together:
                waiting.fail(error)
        else:
            batch.answer()

    async def _make_singly(self, batch: Batch, problem: Unavailable) -> None:
        """A change fails only if it cannot be written itself, and never if there is nothing to write."""
        for waiting, _ in batch.made:
            if len(batch.made) > 1:
                await self._make([waiting])
            else:
                waiting.fail(problem)

    async def _write(self, batch: Batch) -> None:
        if not batch.is_empty:
            for event in await self._save(batch):
                log.info("%s", event.message)
                self._last_event = event.id
            self.records = batch.after
            self.changes += 1
            await self._announce(batch.diffs)

    async def _save(self, batch: Batch) -> list[Event]:
        try:
            saved = await self._store.save(batch.before, batch.after, batch.events)
        except Unavailable as problem:
            await self._report_failure(problem)
            raise
        await self._report_recovery()
        return saved

    async def _report_failure(self, problem: Unavailable) -> None:
        is_first = self.store_problem is None
        self.store_problem = problem
        self.store_fails.set()
        if is_first:
            log.error("%s", problem)
            self.changes += 1
            await self._announce({})

    async def _report_recovery(self) -> None:
        if self.store_problem is None:
            return
        log.info("the database can be written again")
        self.store_problem = None
        self.store_fails.clear()
        self.changes += 1
        await self._announce({})

    async def probe_store(self) -> None:
        """Write without a change, and announce when the store has become unwritable, or writable."""
        async with self._one_at_a_time:
            try:
                await self._store.probe()
            except Unavailable as problem:
                await self._report_failure(problem)
            else:
                await self._report_recovery()

    async def next_change(self, seen: int, *, timeout: float | None = None) -> None:
        """Return as soon as `changes` differs from `seen`, or after `timeout` seconds; None: no limit."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout), self._announced:
                await self._announced.wait_for(lambda: self.changes != seen)

    async def host_changes(self, host: HostRecord, *, timeout: float) -> None:
        """Return as soon as the host has another record than `host`, or after `timeout` seconds."""
        if self.records.hosts.get(host.id) is not host:
            return
        changed = self._host_waiters.setdefault(host.id, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await changed.wait()

    async def events(self, query: EventQuery) -> Found:
        return await self._store.events(query)

    async def move_store(self, target: Path) -> None:
        async with self._one_at_a_time:
            await self._store.move(target)

    def changed_since(self, event: int) -> Iterator[HostRecord]:
        """The hosts that have changed after the event with id `event`, and possibly hosts that changed with it."""
        return (
            host
            for host in self.records.hosts.values()
            if self._last_event_of.get(host.id, self._event_at_start) >= event
        )

    async def _announce(self, diffs: HostDiffs) -> None:
        """Wake the waiters for any change, and those of the changed hosts only, because every host has a waiter."""
        async with self._announced:
            self._announced.notify_all()
        for host_id in diffs:
            self._last_event_of[host_id] = self._last_event
            if changed := self._host_waiters.pop(host_id, None):
                changed.set()
