"""The one place where records change: one change at a time, reconciled, written to disk, then announced."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

from agent.api.events import Event
from agent.machine.clock import Clock
from node0.reconcile.evaluation_cache import EvaluationCache
from node0.reconcile.events import events_between
from node0.reconcile.reconcile import reconcile
from node0.reconcile.timers import Timers
from node0.reconcile.transaction import Change, Transaction, nothing
from node0.refusals import Unavailable
from node0.state_machine.limits import Limits
from node0.store.event_query import EventQuery, Found
from node0.store.host_diff import HostDiffs, diff_hosts
from node0.store.records import HostRecord, Records
from node0.store.store import Store

log = logging.getLogger(__name__)


class StateManager:
    """Holds the records in memory, as the store has them. Waiters are woken after the write, never before.

    `changes` counts what wakes waiters: changes written since the start, and each time that the store stops or starts
    to be writable. `trouble`: why the last write failed; `in_trouble` is set until one succeeds. last_event: id of the
    last event in the store.
    """

    def __init__(
        self, *, store: Store, records: Records, clock: Clock, limits: Limits | None = None, last_event: int = 0
    ) -> None:
        self.records = records
        self.changes = 0
        self.trouble: Unavailable | None = None
        self.in_trouble = asyncio.Event()
        self.timers = Timers(clock, limits)
        self._store = store
        self._clock = clock
        self._cache = EvaluationCache()
        self._one_at_a_time = asyncio.Lock()
        self._announced = asyncio.Condition()
        self._host_waiters: dict[str, asyncio.Event] = {}
        self._event_at_start = self._last_event = last_event
        self._last_event_of: dict[str, int] = {}

    async def apply(self, change: Change = nothing) -> Records:
        """Make `change`, and reconcile; returns the records afterwards. If it raises, nothing has changed.

        The cancellation of the caller does not stop it half way, between the disk and the memory.
        """
        return await asyncio.shield(self._apply(change))

    async def _apply(self, change: Change) -> Records:
        async with self._one_at_a_time:
            before = self.records
            transaction = Transaction(before, self.timers, self._clock.now())
            change(transaction)
            after = reconcile(transaction.records, self.timers, transaction.now, self._cache)
            found = [*transaction.events, *events_between(before, after, transaction.now)]
            if after != before or found:
                for event in await self._saved(before, after, found):
                    log.info("%s", event.message)
                    self._last_event = event.id
                self.records = after
                self.changes += 1
                await self._announce(diff_hosts(before.hosts, after.hosts))
        return self.records

    async def _saved(self, before: Records, after: Records, events: list[Event]) -> list[Event]:
        try:
            saved = await self._store.save(before, after, events)
        except Unavailable as problem:
            await self._note_trouble(problem)
            raise
        await self._note_recovery()
        return saved

    async def _note_trouble(self, problem: Unavailable) -> None:
        is_first = self.trouble is None
        self.trouble = problem
        self.in_trouble.set()
        if is_first:
            log.error("%s", problem)
            self.changes += 1
            await self._announce({})

    async def _note_recovery(self) -> None:
        if self.trouble is None:
            return
        log.info("the database can be written again")
        self.trouble = None
        self.in_trouble.clear()
        self.changes += 1
        await self._announce({})

    async def retry(self) -> None:
        """Try whether the store can be written again; raises `Unavailable` while it cannot."""
        async with self._one_at_a_time:
            await self._store.probe()
            await self._note_recovery()

    async def next_change(self, seen: int, *, timeout: float | None = None) -> None:
        """Return as soon as `changes` is not `seen` any more, or after `timeout` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout), self._announced:
                await self._announced.wait_for(lambda: self.changes != seen)

    async def host_changes(self, host: HostRecord, *, timeout: float) -> None:
        """Return as soon as the host's record is not `host` any more, or after `timeout` seconds."""
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
        """The hosts that have changed since the event of this id was the last, and perhaps some more."""
        return (
            host
            for host in self.records.hosts.values()
            if self._last_event_of.get(host.id, self._event_at_start) >= event
        )

    async def _announce(self, diffs: HostDiffs) -> None:
        """Wake the waiters for any change, and the waiters for the changed hosts alone: every host has one."""
        async with self._announced:
            self._announced.notify_all()
        for host_id in diffs:
            self._last_event_of[host_id] = self._last_event
            if changed := self._host_waiters.pop(host_id, None):
                changed.set()
