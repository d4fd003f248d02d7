"""The one place where records change: one change at a time, settled, written to disk, then announced."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec

from agent.api.resources import Event
from agent.api.states import Severity
from agent.machine.clock import Clock
from node0.lifecycle import news
from node0.lifecycle.settle import settle
from node0.lifecycle.stopwatches import Stopwatches
from node0.refusals import NotFound
from node0.store.records import ClusterRecord, HostRecord, InfraEnvRecord, Records
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

    def put_host(self, host: HostRecord) -> None:
        self.records = msgspec.structs.replace(self.records, hosts={**self.records.hosts, host.id: host})

    def tell(
        self, name: str, message: str, *, severity: Severity = Severity.INFO, host: HostRecord | None = None
    ) -> None:
        cluster = self.records.cluster
        self.events.append(news.tell(name, message, now=self.now, severity=severity, cluster=cluster, host=host))


Change = Callable[[Draft], None]


def nothing(_draft: Draft) -> None:
    """The change that changes nothing by itself: settling does the rest."""


class Conductor:
    """Holds the records in memory, as the store has them. Waiters are woken after the write, never before.

    `changes` counts the changes that were written since the start.
    """

    def __init__(self, *, store: Store, records: Records, clock: Clock) -> None:
        self.records = records
        self.changes = 0
        self.watches = Stopwatches(clock)
        self._store = store
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()
        self._announced = asyncio.Condition()

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
            events = [*draft.events, *news.news(before, after, draft.now)]
            if after != before or events:
                for event in await self._store.save(before, after, events):
                    log.info("%s", event.message)
                self.records = after
                self.changes += 1
                await self._announce()
        return self.records

    async def next_change(self, seen: int, *, timeout: float | None = None) -> None:
        """Return as soon as there were other than `seen` changes, or after `timeout` seconds."""
        await self._wait_for(lambda: self.changes != seen, timeout)

    async def host_changes(self, host: HostRecord, *, timeout: float) -> None:
        """Return as soon as the host's record is another one than `host`, or after `timeout` seconds."""
        await self._wait_for(lambda: self.records.hosts.get(host.id) is not host, timeout)

    async def _wait_for(self, condition: Callable[[], bool], timeout: float | None) -> None:
        try:
            async with asyncio.timeout(timeout), self._announced:
                await self._announced.wait_for(condition)
        except TimeoutError:
            return

    async def events(self, *, after: int, host_id: str = "") -> list[Event]:
        return await self._store.events(after=after, host_id=host_id)

    async def move_store(self, target: Path) -> None:
        async with self._one_at_a_time:
            await self._store.move(target)

    async def _announce(self) -> None:
        async with self._announced:
            self._announced.notify_all()


def host_of(records: Records, infra_env_id: str, host_id: str) -> HostRecord:
    """The host, or `NotFound`."""
    host = records.hosts.get(host_id)
    if host is None or host.infra_env_id != infra_env_id:
        raise NotFound(code="host-unknown", title=f"There is no host {host_id} in infra-env {infra_env_id}.")
    return host


def cluster_of(records: Records, cluster_id: str) -> ClusterRecord:
    """The cluster, or `NotFound`."""
    if records.cluster is None or records.cluster.id != cluster_id:
        raise NotFound(code="cluster-unknown", title=f"There is no cluster {cluster_id}.")
    return records.cluster
