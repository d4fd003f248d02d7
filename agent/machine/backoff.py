"""How long to wait before asking node0 again: soon, for it is started at the same moment as everybody else."""

from __future__ import annotations

import random
from collections.abc import Iterator

SECONDS = (1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 5.0)


def delays() -> Iterator[float]:
    """A second at first, five in the end, each up to a fifth shorter, so that many hosts do not knock in step."""
    step = 0
    while True:
        yield SECONDS[min(step, len(SECONDS) - 1)] * random.uniform(0.8, 1.0)
        step += 1
