"""The ISO of a lab's cluster, made by `cluster0 create image` as users make it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from agent.model.problems import Problem
from cli.cluster_directory import ISO
from cli.command import Commands
from vm_harness.lab.cluster.inputs import SOURCES

SECONDS = 3600.0
"""Far more than it takes to copy a base ISO."""


class CreateImageFailed(Problem):
    """`cluster0 create image` has shown the reason; `exit_code` is its own."""

    def __init__(self, directory: Path, exit_code: int) -> None:
        title = f"`cluster0 create image --dir {directory}` ended with exit code {exit_code}"
        super().__init__(code="create-image-failed", title=title, remedy="Its own message is above.")
        self.exit_code = exit_code


def cluster0() -> str:
    """The `cluster0` next to this Python, else the one on PATH. Raises `Problem` (`cluster0-missing`)."""
    neighbour = Path(sys.executable).with_name("cluster0")
    found = str(neighbour) if neighbour.exists() else shutil.which("cluster0")
    if found is None:
        raise Problem(
            code="cluster0-missing", title=f"there is no {neighbour}", remedy="Run `make setup` in the checkout."
        )
    return found


def is_current(directory: Path, base_iso: Path | None) -> bool:
    """Whether the ISO is newer than all files it is made from."""
    iso = directory / ISO
    sources = [directory / name for name in SOURCES if (directory / name).exists()]
    # A folder's time changes when a file comes or goes, but not when one is edited.
    sources += [file for folder in sources if folder.is_dir() for file in folder.iterdir()]
    sources += [base_iso] if base_iso else []
    return iso.exists() and all(source.stat().st_mtime <= iso.stat().st_mtime for source in sources)


def create(directory: Path, base_iso: Path | None) -> None:
    """Run `cluster0 create image`, its progress shown. Raises `CreateImageFailed`."""
    base = ["--base-iso", str(base_iso)] if base_iso else []
    argv = [cluster0(), "create", "image", "--dir", str(directory), *base]
    if exit_code := Commands().run_shown(argv, timeout=SECONDS):
        raise CreateImageFailed(directory, exit_code)
