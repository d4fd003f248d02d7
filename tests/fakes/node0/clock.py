"""A clock that tests turn by hand."""

from __future__ import annotations

from datetime import datetime, timedelta

from agent.machine.clock import Clock
from tests.fakes.node0.records import NOW


class TurnedClock(Clock):
    """Stands still but for `turn`, which moves both clocks by seconds."""

    def __init__(self) -> None:
        self.passed = 0.0

    def turn(self, seconds: float) -> None:
        self.passed += seconds

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return self.passed
