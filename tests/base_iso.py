"""The base ISO of runs that take hours."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from vm_harness.lab.cluster import image


def built_base_iso() -> Path:
    """From the cache, or built: minutes."""
    built = subprocess.run([image.cluster0(), "image", "build"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(built.stdout.strip())


def own_base_iso(base_iso: Path, directory: Path) -> Path:
    """The same ISO in `directory`. The cache keeps only the newest ones, and other checkouts build theirs meanwhile."""
    own = directory / base_iso.name
    try:
        os.link(base_iso, own)
    except OSError:  # another file system
        shutil.copyfile(base_iso, own)
    return own
