"""Events in order, from the first; a node0 that reboots or starts over is waited for."""

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
class EventFilter:
    """`host_id` empty: events of all hosts and of the cluster. `severity`: the lowest."""

    host_id: str = ""
    severity: EventSeverity = EventSeverity.INFO

    def matches(self, event: Event) -> bool:
        return (not self.host_id or event.host_id == self.host_id) and (
            _ORDER.index(event.severity) >= _ORDER.index(self.severity)
        )


async def follow_events(service: ServiceWatcher, chosen: EventFilter, clock: Clock) -> AsyncGenerator[Event, None]:
    """Past events, then new ones, without end. Raises `Refused` for a token that is not accepted."""
    while True:
        view = await service.observe()
        for event in view.events:
            if chosen.matches(event):
                yield event
        if view.reach is not Reach.ANSWERS:
            await clock.sleep(_BETWEEN_TRIES)
