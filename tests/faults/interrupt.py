"""SIGTERM ends a campaign as Ctrl-C does: labs are taken down."""

from __future__ import annotations

import signal
from types import FrameType


def raise_on_sigterm() -> None:
    """From now on SIGTERM raises KeyboardInterrupt in the main thread."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
