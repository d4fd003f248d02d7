"""Events in order, from the beginning; a node0 that is away, reboots or starts anew is waited for."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from agent.api.events import Event
from agent.machine.clock import Clock
from agent.model.states import EventSeverity
from client.observe.observation import Reach
from client.observe.service import ServiceWatcher

_BETWEEN_TRIES = 2.0
_ORDER = list(EventSeverity)


@dataclass(frozen=True)
class Wanted:
    """`host_id` empty: of every host, and of the cluster. `severity`: the least."""

    host_id: str = ""
    severity: EventSeverity = EventSeverity.INFO

    def has(self, event: Event) -> bool:
        return (not self.host_id or event.host_id == self.host_id) and (
            _ORDER.index(event.severity) >= _ORDER.index(self.severity)
        )


async def following(service: ServiceWatcher, wanted: Wanted, clock: Clock) -> AsyncGenerator[Event, None]:
    """All there are, and those that come; never ends by itself. Raises `Refused` for a token that is not accepted."""
    while True:
        view = await service.look()
        for event in view.events:
            if wanted.has(event):
                yield event
        if view.reach is not Reach.ANSWERS:
            await clock.sleep(_BETWEEN_TRIES)
