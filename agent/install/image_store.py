"""Gives containerd on the state file system all container images of the root image, without copying one of them.

The build unpacked them into the root image (docs/design/boot.md). containerd's own root directory is a copy of a few
hundred kilobytes; each of its snapshots is a symbolic link into the root image, mounted at `/run/cluster0/images`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

IMAGES = "usr/share/cluster0/images"
MOUNTED_SNAPSHOTS = Path("/run/cluster0/images")
CONTAINERD = "var/lib/containerd"
SNAPSHOTS = f"{CONTAINERD}/io.containerd.snapshotter.v1.overlayfs/snapshots"


@dataclass(frozen=True)
class StorePlan:
    """`skeleton`: what to copy as containerd's root directory. `snapshots`: the names to link, in order."""

    skeleton: Path
    snapshots: tuple[str, ...]


def plan(image: Path) -> StorePlan:
    """What the root image mounted at `image` has for containerd."""
    store = image / IMAGES
    return StorePlan(store / "root", tuple(sorted(entry.name for entry in (store / "snapshots").iterdir())))


def populate(image: Path, state: Path) -> None:
    """Fills `var/lib/containerd` of the state file system mounted at `state`. Once it is filled it is containerd's: a
    second call only puts back what is missing."""
    execute(plan(image), state)


def execute(store: StorePlan, state: Path) -> None:
    target = state / CONTAINERD
    database = target / "io.containerd.metadata.v1.bolt/meta.db"
    if not database.exists():
        # What an interrupted call left has no database, because that is copied last: start over.
        _copy_skeleton(store.skeleton, target, last=database)
    for name in store.snapshots:
        link = state / SNAPSHOTS / name
        if not link.is_symlink():
            link.symlink_to(MOUNTED_SNAPSHOTS / name)


def _copy_skeleton(skeleton: Path, target: Path, *, last: Path) -> None:
    shutil.copytree(
        skeleton, target, symlinks=True, dirs_exist_ok=True, ignore=lambda _, names: {last.name} & set(names)
    )
    partial = last.with_name(f".{last.name}.partial")
    shutil.copy2(skeleton / last.relative_to(target), partial)
    partial.rename(last)
