"""What the state file system holds before anything runs on it: directories to bind, and the container images."""

from __future__ import annotations

from pathlib import Path

from agent.install.image_store import populate
from agent.install.layout import OVERLAY_UPPER, OVERLAY_WORK

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


def fill_state(image: Path, state: Path) -> None:
    """`image`: the mounted root image; `state`: the mounted, empty state file system."""
    for path, mode in DIRECTORIES.items():
        (state / path).mkdir(parents=True, exist_ok=True)
        (state / path).chmod(mode)
    populate(image, state)
