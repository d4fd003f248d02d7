"""How long to wait before the next try to reach node0: short, because all hosts are started at the same time."""

from __future__ import annotations

import random
from collections.abc import Iterator

SECONDS = (1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 5.0)
LOCAL_SECONDS = 0.5
"""The longest wait on node0 itself, whose service is about to start; a refused call within a host costs next to
nothing."""


def delays() -> Iterator[float]:
    """A second at first, five in the end, each up to a fifth shorter at random, so that hosts do not call at once."""
    step = 0
    while True:
        yield SECONDS[min(step, len(SECONDS) - 1)] * random.uniform(0.8, 1.0)
        step += 1
