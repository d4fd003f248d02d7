"""Events, oldest first; a reader that has seen them up to an id can wait for the next."""

from __future__ import annotations

from agent.api import routes
from agent.api.resources import Event
from node0.conductor import Conductor
from node0.rest.bind import Handlers

LONGEST_WAIT = 60


class Events:
    def __init__(self, *, conductor: Conductor) -> None:
        self._conductor = conductor

    def handlers(self) -> Handlers:
        return {routes.LIST_EVENTS: self.list}

    async def list(
        self, *, cluster_id: str = "", infra_env_id: str = "", host_id: str = "", after: int = 0, wait: int = 0
    ) -> list[Event]:
        """`wait`: answer when there are events after id `after`, or after so many seconds with what there is.

        There is one cluster and one infra-env: their ids do not narrow the list.
        """
        seen = self._conductor.changes
        events = await self._conductor.events(after=after, host_id=host_id)
        if events or not wait:
            return events
        await self._conductor.next_change(seen, timeout=min(wait, LONGEST_WAIT))
        return await self._conductor.events(after=after, host_id=host_id)
