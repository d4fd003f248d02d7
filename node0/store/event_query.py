"""Filters for events, as SQL."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field

import msgspec

from agent.api.events import Event
from agent.model.states import EventSeverity

LIMIT = 5000


@dataclass(frozen=True)
class EventQuery:
    """An empty filter matches every event.

    after: an id. host_ids: events of one of these hosts. cluster_level: or of no host.
    message: a part of the message.
    limit: the maximum number of events, -1 for all; offset: how many to skip first.
    """

    after: int = 0
    host_ids: tuple[str, ...] = ()
    cluster_level: bool = False
    severities: tuple[EventSeverity, ...] = ()
    message: str = ""
    descending: bool = False
    limit: int = LIMIT
    offset: int = 0


@dataclass(frozen=True)
class Found:
    """The events, and how many of each severity match without limit, offset and filter by severity."""

    events: list[Event]
    counts: dict[EventSeverity, int] = field(default_factory=dict)


def find(connection: sqlite3.Connection, query: EventQuery) -> Found:
    where, values = _where(query)
    counts = connection.execute(f"SELECT severity, count(*) FROM event WHERE {where} GROUP BY severity", values)
    found = {EventSeverity(severity): count for severity, count in counts}
    if query.severities:
        where += f" AND severity IN ({_marks(len(query.severities))})"
        values += query.severities
    order = "DESC" if query.descending else "ASC"
    rows = connection.execute(
        f"SELECT id, record FROM event WHERE {where} ORDER BY id {order} LIMIT ? OFFSET ?",
        (*values, query.limit, query.offset),
    )
    return Found([_event(number, record) for number, record in rows], found)


def last(connection: sqlite3.Connection) -> int:
    """The id of the last event; 0 while there is none."""
    (number,) = connection.execute("SELECT coalesce(max(id), 0) FROM event").fetchone()
    return int(number)


def _where(query: EventQuery) -> tuple[str, tuple[str | int, ...]]:
    where, values = "id > ?", (query.after,)
    clauses, more = [where], list[str | int](values)
    hosts = (*query.host_ids, *([""] if query.cluster_level else []))
    if hosts:
        clauses.append(f"host_id IN ({_marks(len(hosts))})")
        more.extend(hosts)
    if query.message:
        clauses.append("instr(lower(json_extract(CAST(record AS TEXT), '$.message')), lower(?))")
        more.append(query.message)
    return " AND ".join(clauses), tuple(more)


def _marks(number: int) -> str:
    return ", ".join("?" * number)


def _event(number: int, record: bytes) -> Event:
    return msgspec.structs.replace(msgspec.json.decode(record, type=Event), id=number)
