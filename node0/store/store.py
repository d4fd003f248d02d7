"""SQLite behind one thread: every access is a function that takes the connection and runs in that thread."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from agent.api.events import Event
from node0.refusals import Unavailable
from node0.store import database, event_query, tables
from node0.store.event_query import EventQuery, Found
from node0.store.records import Records

Result = TypeVar("Result")


class Store:
    """The database in the file `path`; `open` creates or migrates it.

    Every method raises `Unavailable` when the disk is full, read-only or broken. Transactions are then rolled back, and
    the next call may succeed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Once; a store that could not be opened needs no `close`."""

        def open_() -> None:
            self._connection = database.connect(self.path)

        try:
            await self._in_thread(open_)
        except BaseException:
            await asyncio.to_thread(self._thread.shutdown)
            raise

    async def close(self) -> None:
        def close() -> None:
            if self._connection is not None:
                self._connection.close()

        await self._in_thread(close)
        await asyncio.to_thread(self._thread.shutdown)

    async def load(self) -> Records:
        return await self._run(tables.load)

    async def save(self, before: Records, after: Records, events: Iterable[Event]) -> list[Event]:
        """Write the differences and the new events in one transaction; returns the events with their ids."""
        return await self._run(lambda connection: tables.save(connection, before, after, list(events)))

    async def events(self, query: EventQuery) -> Found:
        return await self._run(lambda connection: event_query.find(connection, query))

    async def last_event(self) -> int:
        """The id of the last event; 0 while there is none."""
        return await self._run(event_query.last)

    async def probe(self) -> None:
        """Write without a change, to check that the database can be written."""

        def rewrite_version(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute(f"PRAGMA user_version = {version}")

        await self._run(rewrite_version)

    async def move(self, target: Path) -> None:
        """Move the database to `target`. The old file is removed only when the copy is complete and writable.

        A copy that cannot be opened is removed: the next start would take it for the newer one.
        """
        if target == self.path:
            return

        def move(connection: sqlite3.Connection) -> None:
            database.copy(connection, target)
            try:
                moved = database.connect(target)
            except Unavailable:
                database.remove(target)
                raise
            connection.close()
            self._connection = moved
            database.remove(self.path)
            self.path = target

        await self._in_thread(lambda: self._guarded(move))

    async def _run(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        def in_transaction(connection: sqlite3.Connection) -> Result:
            with connection:
                return function(connection)

        return await self._in_thread(lambda: self._guarded(in_transaction))

    def _guarded(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        assert self._connection is not None, "open the store first"
        try:
            return function(self._connection)
        except (sqlite3.DatabaseError, OSError) as error:
            raise database.unavailable(self.path, error) from error

    async def _in_thread(self, function: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)
