"""The one place where records change: one change at a time, settled, written to disk, then announced."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec

from agent.api.events import Event
from agent.machine.clock import Clock
from agent.model.states import Severity
from node0.reconcile import events
from node0.reconcile.reconcile import settle
from node0.reconcile.timers import Stopwatches
from node0.refusals import NotFound, Unavailable
from node0.state_machine.limits import Limits
from node0.store.event_query import EventQuery, Found
from node0.store.host_diff import Moves, moves
from node0.store.records import ClusterRecord, HostRecord, InfraEnvRecord, ManifestRecord, Records
from node0.store.store import Store

log = logging.getLogger(__name__)


@dataclass
class Draft:
    """A change in the making. A change that raises leaves nothing behind."""

    records: Records
    watches: Stopwatches
    now: datetime
    events: list[Event] = field(default_factory=list)

    def put_cluster(self, cluster: ClusterRecord) -> None:
        self.records = msgspec.structs.replace(self.records, cluster=cluster)

    def put_infra_env(self, infra_env: InfraEnvRecord) -> None:
        self.records = msgspec.structs.replace(self.records, infra_env=infra_env)

    def drop_cluster(self) -> None:
        self.records = msgspec.structs.replace(self.records, cluster=None)

    def drop_infra_env(self) -> None:
        self.records = msgspec.structs.replace(self.records, infra_env=None)

    def put_manifests(self, *manifests: ManifestRecord) -> None:
        """These and no others."""
        self.records = msgspec.structs.replace(self.records, manifests={item.id: item for item in manifests})

    def put_hosts(self, *hosts: HostRecord) -> None:
        """These and no others."""
        self.records = msgspec.structs.replace(self.records, hosts={host.id: host for host in hosts})

    def put_host(self, host: HostRecord) -> None:
        self.records = msgspec.structs.replace(self.records, hosts={**self.records.hosts, host.id: host})

    def tell(
        self, name: str, message: str, *, severity: Severity = Severity.INFO, host: HostRecord | None = None
    ) -> None:
        cluster = self.records.cluster
        self.events.append(events.tell(name, message, now=self.now, severity=severity, cluster=cluster, host=host))


Change = Callable[[Draft], None]


def nothing(_draft: Draft) -> None:
    """The change that changes nothing by itself: settling does the rest."""


class Conductor:
    """Holds the records in memory, as the store has them. Waiters are woken after the write, never before.

    `changes` counts the changes that were written since the start, and how often that became impossible, or possible
    again. `trouble`: why the last one could not be; `in_trouble` is set meanwhile. last_event: id of the last event in
    the store.
    """

    def __init__(
        self, *, store: Store, records: Records, clock: Clock, limits: Limits | None = None, last_event: int = 0
    ) -> None:
        self.records = records
        self.changes = 0
        self.trouble: Unavailable | None = None
        self.in_trouble = asyncio.Event()
        self.watches = Stopwatches(clock, limits)
        self._store = store
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._announced = asyncio.Condition()
        self._host_news: dict[str, asyncio.Event] = {}
        self._first_event = self._last_event = last_event
        self._changed: dict[str, int] = {}

    async def apply(self, change: Change = nothing) -> Records:
        """Make `change` and what follows from it; gives the records afterwards. If it raises, nothing was changed.

        A caller that goes away does not stop it half way, between the disk and the memory.
        """
        return await asyncio.shield(self._apply(change))

    async def _apply(self, change: Change) -> Records:
        async with self._one_at_a_time:
            before = self.records
            draft = Draft(before, self.watches, self._clock.now())
            change(draft)
            after = settle(draft.records, self.watches, draft.now)
            found = [*draft.events, *events.news(before, after, draft.now)]
            if after != before or found:
                for event in await self._saved(before, after, found):
                    log.info("%s", event.message)
                    self._last_event = event.id
                self.records = after
                self.changes += 1
                await self._announce(moves(before.hosts, after.hosts))
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
        is_news = self.trouble is None
        self.trouble = problem
        self.in_trouble.set()
        if is_news:
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
        """See whether the store can be written again; raises `Unavailable` while it cannot."""
        async with self._one_at_a_time:
            await self._store.probe()
            await self._note_recovery()

    async def next_change(self, seen: int, *, timeout: float | None = None) -> None:
        """Return as soon as there were other than `seen` changes, or after `timeout` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout), self._announced:
                await self._announced.wait_for(lambda: self.changes != seen)

    async def host_changes(self, host: HostRecord, *, timeout: float) -> None:
        """Return as soon as the host's record is another one than `host`, or after `timeout` seconds."""
        if self.records.hosts.get(host.id) is not host:
            return
        changed = self._host_news.setdefault(host.id, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await changed.wait()

    async def events(self, query: EventQuery) -> Found:
        return await self._store.events(query)

    async def move_store(self, target: Path) -> None:
        async with self._one_at_a_time:
            await self._store.move(target)

    def changed_since(self, event: int) -> Iterator[HostRecord]:
        """The hosts that are others than when the event of this id was the last, and perhaps some more."""
        return (host for host in self.records.hosts.values() if self._changed.get(host.id, self._first_event) >= event)

    async def _announce(self, moved: Moves) -> None:
        """Wake who waits for any change, and of those who wait for a host the one that has one: they are as many as
        there are hosts."""
        async with self._announced:
            self._announced.notify_all()
        for host_id in moved:
            self._changed[host_id] = self._last_event
            if changed := self._host_news.pop(host_id, None):
                changed.set()


def host_of(records: Records, infra_env_id: str, host_id: str) -> HostRecord:
    """The host, or `NotFound`."""
    host = records.hosts.get(host_id)
    if host is None or host.infra_env_id != infra_env_id:
        raise NotFound(code="host-unknown", title=f"There is no host {host_id} in infra-env {infra_env_id}.")
    return host


def infra_env_of(records: Records, infra_env_id: str) -> InfraEnvRecord:
    """The infra-env, or `NotFound`."""
    if records.infra_env is None or records.infra_env.id != infra_env_id:
        raise NotFound(code="infra-env-unknown", title=f"There is no infra-env {infra_env_id}.")
    return records.infra_env


def cluster_of(records: Records, cluster_id: str) -> ClusterRecord:
    """The cluster, or `NotFound`."""
    if records.cluster is None or records.cluster.id != cluster_id:
        raise NotFound(code="cluster-unknown", title=f"There is no cluster {cluster_id}.")
    return records.cluster
