"""A fake clock that only the test moves."""

from __future__ import annotations

from datetime import datetime, timedelta

from agent.machine.clock import Clock
from tests.fakes.node0.records import NOW


class ManualClock(Clock):
    """Stands still until `advance` moves both its clocks, wall and monotonic, by seconds."""

    def __init__(self) -> None:
        self._elapsed = 0.0

    def advance(self, seconds: float) -> None:
        self._elapsed += seconds

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed
