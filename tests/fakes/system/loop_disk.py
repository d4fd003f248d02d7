"""A real block device without hardware: a sparse file behind a loop device."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guard.machine_limits import LOOP_DEVICES


@contextlib.contextmanager
def loop_disk(directory: Path, size: int) -> Iterator[str]:
    """Yields its path, /dev/loopN; skips the test where there is none to be had."""
    if os.geteuid() != 0:
        pytest.skip("loop devices need root")
    LOOP_DEVICES.skip_without()
    image = directory / "disk.img"
    with image.open("wb") as file:
        file.truncate(size)
    attached = subprocess.run(["losetup", "--find", "--show", image], stdout=subprocess.PIPE, text=True, check=True)
    device = attached.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["partx", "--delete", device], capture_output=True, check=False)
        subprocess.run(["losetup", "--detach", device], check=True)
        image.unlink()
