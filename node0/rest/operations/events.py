"""Events, oldest first. A client that has read up to an id can wait for the next one, or follow a stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Literal

import msgspec
from multidict import CIMultiDict

from agent.api import operations
from agent.api.events import Event
from agent.model.states import EventSeverity
from node0.reconcile.state_manager import StateManager
from node0.refusals import BadRequest
from node0.rest.server.bind import Handlers
from node0.store.event_query import LIMIT, EventQuery, Found

LONGEST_WAIT = 60

Id = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Events:
    def __init__(self, *, state_manager: StateManager) -> None:
        self._state_manager = state_manager

    def handlers(self) -> Handlers:
        return {operations.LIST_EVENTS: self.list, operations.STREAM_EVENTS: self.stream}

    async def list(
        self,
        *,
        headers: CIMultiDict[str],
        cluster_id: str = "",
        infra_env_id: str = "",
        host_id: str = "",
        host_ids: str = "",
        cluster_level: bool = False,
        severities: str = "",
        message: str = "",
        categories: str = "user",
        order: Literal["ascending", "descending"] = "ascending",
        limit: Annotated[int, msgspec.Meta(ge=-1, le=2**53)] = LIMIT,
        offset: Id = 0,
        after: Id = 0,
        wait: Annotated[int, msgspec.Meta(ge=0)] = 0,
    ) -> list[Event]:
        """`wait`: seconds to wait for events after id `after` before the answer is empty.

        There is one cluster and one infra-env: their ids do not narrow the list. Every event is of category `user`.
        """
        query = EventQuery(
            after=after,
            host_ids=_split(f"{host_id},{host_ids}"),
            cluster_level=cluster_level,
            severities=tuple(_severity(word) for word in _split(severities)),
            message=message,
            descending=order == "descending",
            limit=limit if "user" in _split(categories) else 0,
            offset=offset,
        )
        seen = self._state_manager.changes
        found = await self._state_manager.events(query)
        if wait and not found.events:
            await self._state_manager.next_change(seen, timeout=min(wait, LONGEST_WAIT))
            found = await self._state_manager.events(query)
        headers.update(_counts(found, query))
        return found.events

    async def stream(self, *, after: Id = 0) -> AsyncIterator[Event]:
        return self._follow(after)

    async def _follow(self, after: int) -> AsyncIterator[Event]:
        while True:
            seen = self._state_manager.changes
            found = await self._state_manager.events(EventQuery(after=after, limit=100))
            for event in found.events:
                yield event
                after = event.id
            if not found.events:
                await self._state_manager.next_change(seen)


def _split(words: str) -> tuple[str, ...]:
    return tuple(word for word in words.split(",") if word)


def _severity(word: str) -> EventSeverity:
    try:
        return EventSeverity(word)
    except ValueError:
        raise BadRequest(
            code="severity-unknown",
            title=f"{word[:100]!r} is no severity; the severities are {', '.join(EventSeverity)}.",
        ) from None


def _counts(found: Found, query: EventQuery) -> dict[str, str]:
    """Upstream's headers: the number of events of each severity, and of all requested severities."""
    requested = query.severities or tuple(EventSeverity)
    total = sum(found.counts.get(severity, 0) for severity in requested)
    by_severity = {
        f"Severity-Count-{severity.title()}": str(found.counts.get(severity, 0)) for severity in EventSeverity
    }
    return {"Event-Count": str(total), **by_severity}
