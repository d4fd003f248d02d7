"""How long changes block the event loop: every other request waits meanwhile."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from node0.cause import REQUEST_ID

log = logging.getLogger(__name__)

# The largest report that is accepted of a host takes less than half of it. More is a bug of ours.
BUDGET_SECONDS = 0.25


class Budget:
    """`longest`: seconds of the longest change. `exceeded`: how many changes took longer than `BUDGET_SECONDS`."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.exceeded = 0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure one change and its reconciliation."""
        started = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - started
            self.longest = max(self.longest, seconds)
            if seconds > BUDGET_SECONDS:
                self.exceeded += 1
                log.warning("a change has blocked all requests for %.2f s (request %s)", seconds, REQUEST_ID.get())
