"""Processes that a test does not start itself."""

from __future__ import annotations

import os
import select


def assert_ended(pid: int) -> None:
    """The signal has been sent; a busy machine may take a moment to deliver it."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], 10)[0], f"process {pid} goes on"
    finally:
        os.close(handle)
