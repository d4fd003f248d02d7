"""Time, which tests can replace.

asyncio is imported by the first sleep: programs that never wait start in half the time without it.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """The machine's clocks. `now` is the wall clock (UTC), `monotonic` counts seconds and never jumps."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        import asyncio

        await asyncio.sleep(seconds)
