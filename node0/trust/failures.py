"""How often an address may send a bad token: a rate limit against guessing and flooding."""

from __future__ import annotations

from collections import OrderedDict

from agent.machine.clock import Clock
from node0.refusals import TooMany

# More failures at once than a mistake causes, and how fast they are forgotten.
BURST = 20
FORGOTTEN_PER_SECOND = 0.5

# Addresses that are counted; the one with the oldest failure is dropped first.
ADDRESSES = 1024


class Failures:
    """A leaky bucket for each address."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def check(self, address: str) -> None:
        """Raises `TooMany` while `address` has failed too often."""
        level = self._level(address)
        if level >= BURST:
            seconds = int((level - BURST + 1) / FORGOTTEN_PER_SECOND)
            raise TooMany(
                code="too-many-failures",
                title=f"{address} has sent too many bad tokens.",
                remedy=f"Try again in {seconds} seconds, with a token of this cluster.",
            )

    def count(self, address: str) -> None:
        """`address` has failed."""
        self._levels[address] = (self._level(address) + 1, self._clock.monotonic())
        self._levels.move_to_end(address)
        if len(self._levels) > ADDRESSES:
            self._levels.popitem(last=False)

    def _level(self, address: str) -> float:
        level, since = self._levels.get(address, (0.0, 0.0))
        return max(0.0, level - (self._clock.monotonic() - since) * FORGOTTEN_PER_SECOND)
