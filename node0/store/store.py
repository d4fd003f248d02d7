"""SQLite behind one thread: whatever touches the database is a function that takes the connection and runs there.

A transaction that has returned is on the disk (WAL, synchronous=FULL), whatever happens to the power next.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from agent.api.resources import Event
from node0.store.records import ClusterRecord, HostRecord, InfraEnvRecord, Records

Result = TypeVar("Result")

SCHEMA = Path(__file__).with_name("schema")


class Store:
    """The database in the file `path`, made or brought up to date by `open`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        def open_() -> None:
            self._connection = _connect(self.path)

        await self._in_thread(open_)

    async def close(self) -> None:
        def close() -> None:
            if self._connection is not None:
                self._connection.close()

        await self._in_thread(close)
        self._thread.shutdown()

    async def load(self) -> Records:
        return await self._run(_load)

    async def save(self, before: Records, after: Records, events: Iterable[Event]) -> list[Event]:
        """Write what differs and the new events in one transaction; gives the events with their ids."""
        return await self._run(lambda connection: _save(connection, before, after, list(events)))

    async def events(self, *, after: int, host_id: str = "", limit: int = 5000) -> list[Event]:
        """Events with an id above `after` in ascending order, of one host when `host_id` is given."""
        return await self._run(lambda connection: _events(connection, after, host_id, limit))

    async def move(self, target: Path) -> None:
        """Go on in the file `target`. The old file is removed only when the copy is complete and synced."""
        if target == self.path:
            return

        def move() -> None:
            assert self._connection is not None
            _copy(self._connection, target)
            moved = _connect(target)
            self._connection.close()
            self._connection = moved
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            self.path = target

        await self._in_thread(move)

    async def _run(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        def run() -> Result:
            assert self._connection is not None, "open the store first"
            with self._connection:
                return function(self._connection)

        return await self._in_thread(run)

    async def _in_thread(self, function: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, check_same_thread=False)
    path.chmod(0o600)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for step in sorted(SCHEMA.glob("*.sql")):
        number = int(step.name[:4])
        if number > version:
            connection.executescript(f"BEGIN;\n{step.read_text()}\nPRAGMA user_version = {number};\nCOMMIT;")
    return connection


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.moving")
    unfinished.unlink(missing_ok=True)
    copy = sqlite3.connect(unfinished)
    try:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        copy.close()
    _sync(unfinished)
    unfinished.replace(target)
    _sync(target.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _load(connection: sqlite3.Connection) -> Records:
    clusters = connection.execute("SELECT record FROM cluster").fetchall()
    infra_envs = connection.execute("SELECT record FROM infra_env").fetchall()
    hosts = [msgspec.json.decode(blob, type=HostRecord) for (blob,) in connection.execute("SELECT record FROM host")]
    return Records(
        cluster=msgspec.json.decode(clusters[0][0], type=ClusterRecord) if clusters else None,
        infra_env=msgspec.json.decode(infra_envs[0][0], type=InfraEnvRecord) if infra_envs else None,
        hosts={host.id: host for host in sorted(hosts, key=lambda host: host.created_at)},
    )


def _save(connection: sqlite3.Connection, before: Records, after: Records, events: list[Event]) -> list[Event]:
    if after.cluster is not None and after.cluster is not before.cluster:
        _put(connection, "cluster", after.cluster.id, after.cluster)
    if after.infra_env is not None and after.infra_env is not before.infra_env:
        _put(connection, "infra_env", after.infra_env.id, after.infra_env)
    for host in after.hosts.values():
        if host is not before.hosts.get(host.id):
            _put(connection, "host", host.id, host)
    return [_add(connection, event) for event in events]


def _put(connection: sqlite3.Connection, table: str, key: str, record: msgspec.Struct) -> None:
    connection.execute(
        f"INSERT INTO {table} (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
        (key, msgspec.json.encode(record)),
    )


def _add(connection: sqlite3.Connection, event: Event) -> Event:
    cursor = connection.execute(
        "INSERT INTO event (host_id, record) VALUES (?, ?)", (event.host_id, msgspec.json.encode(event))
    )
    return msgspec.structs.replace(event, id=cursor.lastrowid)


def _events(connection: sqlite3.Connection, after: int, host_id: str, limit: int) -> list[Event]:
    where = "id > ? AND host_id = ?" if host_id else "id > ?"
    values = (after, host_id, limit) if host_id else (after, limit)
    rows = connection.execute(f"SELECT id, record FROM event WHERE {where} ORDER BY id LIMIT ?", values)
    return [msgspec.structs.replace(msgspec.json.decode(blob, type=Event), id=number) for number, blob in rows]
