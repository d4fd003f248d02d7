"""SIGTERM and SIGHUP end a command as Ctrl-C does: it cleans up and ends the programs that it started.

Without this Python would exit at once, and leave half-written files and the programs in sessions of their own.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDINGS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """For the length of the body, in the main thread. A signal that our parent process ignores stays ignored.

    SIGINT is unblocked, because `cli.command` of a parent process blocks it while it starts us.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {number: signal.getsignal(number) for number in _ENDINGS}
    for number, handler in kept.items():
        if handler is not signal.SIG_IGN:  # nohup
            signal.signal(number, _interrupt)
    mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in kept.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """As SIGINT: asyncio turns that into cancelled tasks, and `cli.command` blocks it while a program starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)
