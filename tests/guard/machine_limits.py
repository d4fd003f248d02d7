"""What a machine may lack, and no setup of ours can add: the only reasons for which a test may be skipped in CI.

Each limit has a probe, so that no skip can claim what does not hold. A program that is not installed, a missing entry
of the cache and missing privileges are no limits of a machine.
"""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class MachineLimit:
    """`reason`: what the machine lacks, in the words of the skip. `is_there`: the probe; True if it lacks nothing."""

    reason: str
    is_there: Callable[[], bool]

    def skip_without(self) -> None:
        """Skip the running test on a machine with this limit."""
        if not self.is_there():
            pytest.skip(self.reason)


@functools.cache
def _attaches_a_loop_device() -> bool:
    with tempfile.NamedTemporaryFile() as image:
        image.truncate(1 << 20)
        attach = ["losetup", "--find", "--show", image.name]
        attached = subprocess.run(attach, capture_output=True, text=True, check=False)
        if attached.returncode == 0:
            subprocess.run(["losetup", "--detach", attached.stdout.strip()], check=True)
    return attached.returncode == 0


@functools.cache
def _opens_files_directly() -> bool:
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.close(os.open(file.name, os.O_WRONLY | os.O_DIRECT))
        except OSError:
            return False
    return True


LOOP_DEVICES = MachineLimit("the kernel gives no loop device to this container", _attaches_a_loop_device)
DIRECT_IO = MachineLimit("the file system of temporary files has no O_DIRECT", _opens_files_directly)

LIMITS = (LOOP_DEVICES, DIRECT_IO)
"""All limits; tests/README.md has the table."""
