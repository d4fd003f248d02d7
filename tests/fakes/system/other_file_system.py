"""A directory on another file system than the tests': what a machine has mounted, without root."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def another_file_system(mount: Path) -> Iterator[None]:
    """What is below `mount` lies on another file system: shared memory instead of the disk."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        mount.parent.mkdir(parents=True, exist_ok=True)
        mount.symlink_to(directory)
        yield
