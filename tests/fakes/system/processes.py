"""Processes that a test does not start itself."""

from __future__ import annotations

import os
import select

# In front of a command that a signal is sent to: a run of the tests under nohup, or in the background of a script,
# ignores signals and would hand that down.
HEARS_SIGNALS = ("env", "--default-signal=HUP,INT")


def assert_ended(pid: int) -> None:
    """The signal has been sent; a busy machine may take a moment to deliver it."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], 10)[0], f"process {pid} still runs"
    finally:
        os.close(handle)
