"""The store: saved records survive restarts, kills, moves and migrations."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from agent.model.states import EventSeverity, HostStatus
from node0.reconcile.events import new_event
from node0.refusals import Unavailable
from node0.store import tables
from node0.store.event_query import EventQuery
from node0.store.records import ManifestRecord, Records
from node0.store.store import Store
from tests.fakes.node0.records import HOST_ID, NOW, host, site
from tests.paths import REPOSITORY


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "node0.db")
    await store.open()
    yield store
    await store.close()


async def reopened(path: Path) -> Records:
    store = Store(path)
    await store.open()
    try:
        return await store.load()
    finally:
        await store.close()


async def test_records_survive_a_round_trip(store: Store) -> None:
    records = site(host(), host(id="b", inventory=None))
    await store.save(Records(), records, [])
    assert await store.load() == records


async def test_only_changed_rows_are_written(store: Store) -> None:
    first = site(host(), host(id="b"))
    await store.save(Records(), first, [])
    changed = {**first.hosts, "b": host(HostStatus.ERROR, id="b")}
    after = msgspec.structs.replace(first, hosts=changed)
    await store.save(first, after, [])
    assert await store.load() == after


async def test_events_have_consecutive_ids_and_can_be_filtered_by_host(store: Store) -> None:
    events = [
        new_event("a", "one", now=NOW),
        new_event("b", "two", now=NOW, host=host()),
        new_event("c", "three", now=NOW),
    ]
    saved = await store.save(Records(), Records(), events)
    assert [event.id for event in saved] == [1, 2, 3]
    assert [event.message for event in (await store.events(EventQuery(after=1))).events] == ["two", "three"]
    assert [event.id for event in (await store.events(EventQuery(host_ids=(HOST_ID,)))).events] == [2]


async def test_after_a_move_the_store_continues_in_the_new_file(store: Store, tmp_path: Path) -> None:
    before, target = store.path, tmp_path / "state/var/lib/cluster0/node0.db"
    records = site(host())
    await store.save(Records(), records, [new_event("a", "one", now=NOW)])
    await store.move(target)
    await store.move(target)
    after = msgspec.structs.replace(records, hosts={HOST_ID: host(HostStatus.INSTALLED)})
    await store.save(records, after, [])
    assert not before.exists()
    assert store.path == target
    assert await reopened(target) == after
    assert target.stat().st_mode & 0o777 == 0o600


async def test_a_move_over_the_remains_of_another_succeeds(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "state/node0.db"
    target.parent.mkdir()
    (target.parent / ".node0.db.moving").write_text("half a database")
    await store.save(Records(), site(host()), [])
    await store.move(target)
    assert (await store.load()).hosts.keys() == {HOST_ID}


WRITER = """
import asyncio, sys, msgspec
from pathlib import Path
from node0.store.store import Store
from node0.store.records import Records
from node0.reconcile.events import new_event
from tests.fakes.node0.records import NOW, host, site

async def main():
    store = Store(Path(sys.argv[1]))
    await store.open()
    before = await store.load()
    while True:
        count = int(next(iter(before.hosts.values())).status_info or 0) + 1 if before.hosts else 1
        after = site(host(status_info=str(count)))
        await store.save(before, after, [new_event("n", str(count), now=NOW)])
        print(count, flush=True)
        before = after

asyncio.run(main())
"""


async def test_a_kill_at_any_moment_loses_no_confirmed_write(tmp_path: Path) -> None:
    """Each round kills a writer; the record and the event of its last acknowledged write exist."""
    path = tmp_path / "node0.db"
    for round_ in range(5):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", WRITER, os.fspath(path), stdout=asyncio.subprocess.PIPE, cwd=REPOSITORY
        )
        assert process.stdout is not None
        for _ in range(3 + round_):
            acknowledged = int(await process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, (await process.stdout.read()).split())])
        await process.wait()
        saved = int((await reopened(path)).hosts[HOST_ID].status_info)
        assert acknowledged <= saved <= acknowledged + 1
        with sqlite3.connect(path) as connection:
            assert connection.execute("SELECT count(*), max(id) FROM event").fetchone() == (saved, saved)
        connection.close()


async def test_the_oldest_events_are_dropped_at_the_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "KEPT_EVENTS", 3)
    for word in ("one", "two", "three", "four", "five"):
        await store.save(Records(), Records(), [new_event("n", word, now=NOW)])
    found = await store.events(EventQuery())
    assert [(event.id, event.message) for event in found.events] == [(3, "three"), (4, "four"), (5, "five")]


async def test_a_move_to_a_read_only_directory_leaves_no_second_database(store: Store, tmp_path: Path) -> None:
    """The next start would open the second database and lose all later writes."""
    target = tmp_path / "state" / "node0.db"
    (tmp_path / "state" / "node0.db-wal").mkdir(parents=True)  # where SQLite has to write its log
    with pytest.raises(Unavailable):
        await store.move(target)
    assert not target.exists()
    await store.save(Records(), site(host()), [])
    (tmp_path / "state" / "node0.db-wal").rmdir()
    await store.move(target)
    assert (await store.load()).hosts == {HOST_ID: host()}
    assert not (tmp_path / "node0.db").exists()


async def test_a_database_of_the_first_release_is_migrated(tmp_path: Path) -> None:
    """Events keep their ids; the new column gets the severity of each event."""
    path = tmp_path / "node0.db"
    first = (REPOSITORY / "node0/store/schema/0001_start.sql").read_text()
    with sqlite3.connect(path) as old:
        old.executescript(first + "PRAGMA user_version = 1;")
        event = msgspec.json.encode(new_event("a", "one", now=NOW, severity=EventSeverity.ERROR))
        old.execute("INSERT INTO event (host_id, record) VALUES ('', ?)", (event,))
        old.execute("INSERT INTO host (id, record) VALUES (?, ?)", (HOST_ID, msgspec.json.encode(host())))
    old.close()
    store = Store(path)
    await store.open()
    found = await store.events(EventQuery(severities=(EventSeverity.ERROR,)))
    assert ([event.id for event in found.events], found.counts) == ([1], {EventSeverity.ERROR: 1})
    assert (await store.load()).hosts == {HOST_ID: host()}
    await store.close()


async def test_a_database_of_a_later_release_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "node0.db"
    with sqlite3.connect(path) as later:
        later.execute("PRAGMA user_version = 9999")
    later.close()
    with pytest.raises(Unavailable) as caught:
        await reopened(path)
    assert caught.value.code == "store-newer"


async def test_a_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "node0.db"
    path.write_text("not a database, but as long as a page of one" * 20)
    with pytest.raises(Unavailable) as caught:
        await reopened(path)
    assert caught.value.code == "store-failed"


async def test_removed_records_are_gone_and_revoked_tokens_stay(store: Store) -> None:
    manifest = ManifestRecord(folder="manifests", file_name="a.yaml", content=b"\x00\xff")
    first = msgspec.structs.replace(site(host()), manifests={manifest.id: manifest}, revoked=frozenset({"t"}))
    await store.save(Records(), first, [])
    assert await store.load() == first
    after = Records(revoked=frozenset({"t"}))
    await store.save(first, after, [])
    assert await store.load() == after


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        (EventQuery(message="TWO"), [2]),
        (EventQuery(severities=(EventSeverity.WARNING, EventSeverity.ERROR)), [2, 3]),
        (EventQuery(descending=True, limit=2), [4, 3]),
        (EventQuery(offset=1, limit=2), [2, 3]),
        (EventQuery(limit=-1), [1, 2, 3, 4]),
        (EventQuery(host_ids=(HOST_ID,)), [4]),
        (EventQuery(host_ids=(HOST_ID,), cluster_level=True), [1, 2, 3, 4]),
        (EventQuery(after=2, severities=(EventSeverity.INFO,)), [4]),
    ],
)
async def test_events_can_be_filtered(store: Store, query: EventQuery, ids: list[int]) -> None:
    severities = (EventSeverity.INFO, EventSeverity.WARNING, EventSeverity.ERROR)
    events = [
        new_event("n", word, now=NOW, severity=s) for word, s in zip(("one", "two", "three"), severities, strict=True)
    ]
    await store.save(Records(), Records(), [*events, new_event("n", "four", now=NOW, host=host())])
    assert [event.id for event in (await store.events(query)).events] == ids
