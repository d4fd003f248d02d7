"""How often an address may fail to identify itself: guessing and flooding cost the guesser, not the service."""

from __future__ import annotations

from collections import OrderedDict

from agent.machine.clock import Clock
from node0.refusals import TooMany

# A burst that no honest mistake reaches, and what is forgiven meanwhile.
BURST = 20
FORGIVEN_PER_SECOND = 0.5

# Addresses that are remembered; the longest forgotten failure goes first.
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
            seconds = int((level - BURST + 1) / FORGIVEN_PER_SECOND)
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
        return max(0.0, level - (self._clock.monotonic() - since) * FORGIVEN_PER_SECOND)
