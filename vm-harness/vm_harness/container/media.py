"""A container's medium: the tree of an ISO as a squashfs, because the computer's kernel may not read ISO 9660.

All media have the same size, so that one can be exchanged for another below a mounted loop device.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from cli.command import run
from vm_harness.container import loops

BYTES = 4 << 30
SECONDS = 300
NO_COMPRESSION = ("-noI", "-noD", "-noF", "-noX")


def make(iso: Path, medium: Path) -> Path:
    """Write the tree of `iso` to the file `medium`, which is replaced. Raises `Problem` (`command-failed`)."""
    with tempfile.TemporaryDirectory(prefix="tree-", dir=medium.parent) as directory:
        tree = Path(directory) / "tree"
        run(["xorriso", "-osirrox", "on", "-indev", iso, "-extract", "/", tree], timeout=SECONDS)
        medium.unlink(missing_ok=True)
        run(["mksquashfs", tree, medium, *NO_COMPRESSION, "-quiet", "-no-progress"], timeout=SECONDS)
    os.truncate(medium, BYTES)
    return medium


def eject(device: Path, nothing: Path) -> None:
    """Every later access to the loop device `device` fails. `nothing`: a file for this device alone."""
    nothing.touch()
    os.truncate(nothing, BYTES)
    loops.exchange(device, nothing)
    # Reads behind the end of the file below a loop device fail.
    os.truncate(nothing, 0)


def insert(device: Path, medium: Path, nothing: Path) -> None:
    """Exchange the medium that is in, or `nothing` after `eject`, for `medium`."""
    if nothing.exists():
        os.truncate(nothing, BYTES)  # Only a file of the same size is taken.
    loops.exchange(device, medium)
