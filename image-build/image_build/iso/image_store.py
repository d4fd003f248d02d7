"""The payload's container images as a containerd root directory, unpacked once at build time (DESIGN.md, section 1).

containerd itself does it, the very binary of the image, so its database is of the right version. Layers are
not kept beside the snapshots they were unpacked to.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.api.payload import Image, Payload
from image_build.cache import Cache, Workplace, cache_key
from image_build.command import Commands
from image_build.iso.recipe import INGREDIENTS

SNAPSHOTTER = "io.containerd.snapshotter.v1.overlayfs"
_IMPORT_SECONDS = 1800
_SCRIPT = INGREDIENTS / "store/import-images.sh"

# Made by containerd at its start and of this start only; the identity must differ between hosts.
_OF_ONE_START = (
    "io.containerd.grpc.v1.introspection",
    "io.containerd.runtime.v1.linux",
    "io.containerd.runtime.v2.task",
    "tmpmounts",
)


@dataclass(frozen=True)
class ImageStore:
    """`root`: containerd's root directory without its bulk. `snapshots`: unpacked layers. `references`: image names."""

    root: Path
    snapshots: Path
    references: tuple[str, ...]


def image_store(debian: Path, directory: Path, payload: Payload, cache: Cache) -> ImageStore:
    """The store with every image of the `payload` in `directory`, unpacked by the containerd of the tree `debian`."""
    key = cache_key(
        [debian.name, _SCRIPT, Path(__file__), *(f"{image.reference} {image.digest}" for image in payload.images)]
    )
    entry = cache.obtain("image-store", key, lambda place: _make(debian / "root", directory, payload.images, place))
    references = (entry / "images.txt").read_text().split()
    return ImageStore(entry / "root", entry / "snapshots", tuple(references))


def _make(tree: Path, directory: Path, images: Sequence[Image], place: Workplace) -> None:
    root = place.result / "root"
    root.mkdir()
    Commands(place.log).run(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private",
         _SCRIPT, tree, root, directory, *(word for image in images for word in (image.reference, image.archive))],
        timeout=_IMPORT_SECONDS,
    )  # fmt: skip
    shutil.move(root / "images.txt", place.result / "images.txt")
    shutil.move(root / SNAPSHOTTER / "snapshots", place.result / "snapshots")
    (root / SNAPSHOTTER / "snapshots").mkdir(mode=0o700)
    for name in _OF_ONE_START:
        shutil.rmtree(root / name, ignore_errors=True)
