"""What the state file system holds before anything runs on it: directories to bind, and the container images.

containerd on the state file system gets all container images of the root image without a copy. The image build unpacked
them into the root image (docs/design/boot.md). containerd's own root directory is a copy of a few hundred kilobytes.
Each of its snapshots is a symbolic link into the root image, mounted at `/run/cluster0/images`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from agent.install.layout import OVERLAY_UPPER, OVERLAY_WORK
from agent.model.host_paths import IMAGE_STORE

# Mode by path. `cluster0-state.target` binds all but the overlay's two to the same path of the running system.
DIRECTORIES = {
    OVERLAY_UPPER: 0o755,
    OVERLAY_WORK: 0o755,
    "var/lib/containerd": 0o711,
    "var/lib/kubelet": 0o700,
    "var/lib/etcd": 0o700,
    "var/lib/cluster0": 0o700,
    "var/log/pods": 0o755,
    "var/log/containers": 0o755,
    "etc/kubernetes": 0o755,
}
MOUNTED_SNAPSHOTS = Path("/run/cluster0/images")
CONTAINERD = "var/lib/containerd"
SNAPSHOTS = f"{CONTAINERD}/io.containerd.snapshotter.v1.overlayfs/snapshots"


def fill_state(image: Path, state: Path) -> None:
    """`image`: the mounted root image; `state`: the mounted, empty state file system."""
    for path, mode in DIRECTORIES.items():
        (state / path).mkdir(parents=True, exist_ok=True)
        (state / path).chmod(mode)
    populate(image, state)


@dataclass(frozen=True)
class StorePlan:
    """`skeleton`: what to copy as containerd's root directory. `snapshots`: the names to link, in order."""

    skeleton: Path
    snapshots: tuple[str, ...]


def plan(image: Path) -> StorePlan:
    """What the root image, mounted at `image`, has for containerd."""
    store = image / IMAGE_STORE
    return StorePlan(store / "root", tuple(sorted(entry.name for entry in (store / "snapshots").iterdir())))


def populate(image: Path, state: Path) -> None:
    """Fill `var/lib/containerd` of the state file system mounted at `state`. From then on it belongs to containerd: a
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
