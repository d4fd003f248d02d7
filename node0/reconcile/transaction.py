"""One change of the records with its events, and the type of the functions that make changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from agent.api.events import Event
from agent.model.states import EventSeverity
from node0.reconcile.events import new_event
from node0.reconcile.timers import Timers
from node0.store.host_diff import HostDiffs, diff_some
from node0.store.records import ClusterRecord, HostRecord, InfraEnvRecord, ManifestRecord, Records


@dataclass
class Transaction:
    """Collects what a `Change` does; if it raises, `StateManager` discards all of it.

    records: as changed so far; before: at the start. now: the wall clock at the start.
    events: without ids, which the store assigns. touched: ids of the hosts that were added, replaced or removed.
    """

    records: Records
    timers: Timers
    now: datetime
    events: list[Event] = field(default_factory=list)
    before: Records = field(init=False)
    touched: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.before = self.records

    def put_cluster(self, cluster: ClusterRecord) -> None:
        self.records = msgspec.structs.replace(self.records, cluster=cluster)

    def put_infra_env(self, infra_env: InfraEnvRecord) -> None:
        self.records = msgspec.structs.replace(self.records, infra_env=infra_env)

    def drop_cluster(self) -> None:
        self.records = msgspec.structs.replace(self.records, cluster=None)

    def drop_infra_env(self) -> None:
        self.records = msgspec.structs.replace(self.records, infra_env=None)

    def put_manifests(self, *manifests: ManifestRecord) -> None:
        """Replace all manifests by these."""
        self.records = msgspec.structs.replace(self.records, manifests={item.id: item for item in manifests})

    def put_hosts(self, *hosts: HostRecord) -> None:
        """Replace all hosts by these."""
        replaced = {host.id: host for host in hosts}
        self.touched |= self.records.hosts.keys() | replaced.keys()
        self.records = msgspec.structs.replace(self.records, hosts=replaced)

    def put_host(self, host: HostRecord) -> None:
        """Add the host, or replace its record."""
        self.touched.add(host.id)
        self.records = msgspec.structs.replace(self.records, hosts={**self.records.hosts, host.id: host})

    def diffs(self) -> HostDiffs:
        """The hosts that differ from those at the start."""
        return diff_some(self.before.hosts, self.records.hosts, self.touched)

    def add_event(
        self, name: str, message: str, *, severity: EventSeverity = EventSeverity.INFO, host: HostRecord | None = None
    ) -> None:
        cluster = self.records.cluster
        self.events.append(new_event(name, message, now=self.now, severity=severity, cluster=cluster, host=host))


Change = Callable[[Transaction], None]
"""Raises a Problem of `node0.refusals` if the change is not possible."""


def no_change(_transaction: Transaction) -> None:
    """The change for a caller that only wants the records reconciled."""
