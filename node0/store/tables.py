"""Converts records to rows and back. A row is an id and a JSON document. Only changed rows are written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

import msgspec

from agent.api.events import Event
from node0.store.interning import interned
from node0.store.records import ClusterRecord, HostRecord, InfraEnvRecord, ManifestRecord, Records

_PUT = "INSERT INTO {table} (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record"

# An install of a thousand hosts makes about 40,000 events. The limit protects node0's memory, where the database is,
# from a host that keeps failing.
KEPT_EVENTS = 100_000

Rows = Mapping[str, msgspec.Struct]
"""Id → record, of one table."""


def load(connection: sqlite3.Connection) -> Records:
    """All records of the database, hosts in the order of their registration. Events are not loaded."""

    def rows(table: str) -> list[bytes]:
        return [blob for (blob,) in connection.execute(f"SELECT record FROM {table}")]

    clusters = [msgspec.json.decode(blob, type=ClusterRecord) for blob in rows("cluster")]
    infra_envs = [msgspec.json.decode(blob, type=InfraEnvRecord) for blob in rows("infra_env")]
    hosts = [interned(msgspec.json.decode(blob, type=HostRecord)) for blob in rows("host")]
    manifests = [msgspec.json.decode(blob, type=ManifestRecord) for blob in rows("manifest")]
    return Records(
        cluster=clusters[0] if clusters else None,
        infra_env=infra_envs[0] if infra_envs else None,
        hosts={host.id: host for host in sorted(hosts, key=lambda host: host.created_at)},
        manifests={manifest.id: manifest for manifest in manifests},
        revoked=frozenset(id for (id,) in connection.execute("SELECT id FROM revoked")),
    )


def save(connection: sqlite3.Connection, before: Records, after: Records, events: Iterable[Event]) -> list[Event]:
    """Write the differences between `before` and `after`, and the events; returns the events with their ids."""
    old, new = _rows(before), _rows(after)
    for table in new:
        _write(connection, table, old[table], new[table])
    for token in after.revoked - before.revoked:
        connection.execute("INSERT OR IGNORE INTO revoked (id) VALUES (?)", (token,))
    return [_add_event(connection, event) for event in events]


def _rows(records: Records) -> dict[str, Rows]:
    """Name of the table → its rows."""
    return {
        "cluster": {records.cluster.id: records.cluster} if records.cluster else {},
        "infra_env": {records.infra_env.id: records.infra_env} if records.infra_env else {},
        "host": records.hosts,
        "manifest": records.manifests,
    }


def _write(connection: sqlite3.Connection, table: str, before: Rows, after: Rows) -> None:
    for key in before.keys() - after.keys():
        connection.execute(f"DELETE FROM {table} WHERE id = ?", (key,))
    for key, record in after.items():
        if record is not before.get(key):
            connection.execute(_PUT.format(table=table), (key, msgspec.json.encode(record)))


def _add_event(connection: sqlite3.Connection, event: Event) -> Event:
    cursor = connection.execute(
        "INSERT INTO event (host_id, severity, record) VALUES (?, ?, ?)",
        (event.host_id, event.severity, msgspec.json.encode(event)),
    )
    connection.execute("DELETE FROM event WHERE id <= last_insert_rowid() - ?", (KEPT_EVENTS,))
    return msgspec.structs.replace(event, id=cursor.lastrowid)
