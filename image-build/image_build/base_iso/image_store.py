"""The payload's container images as a containerd root directory, unpacked once at build time (docs/design/boot.md).

containerd itself does it, the very binary of the image, so its database is of the right version. Layers are
not kept beside the snapshots they were unpacked to.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.payload import Image, PayloadManifest
from cli.command import Commands
from image_build.base_iso import bolt
from image_build.base_iso.recipe import INGREDIENTS, source_date_epoch
from image_build.cache import Cache, Workplace, cache_key

SNAPSHOTTER = "io.containerd.snapshotter.v1.overlayfs"
_IMPORT_SECONDS = 1800
_SCRIPT = INGREDIENTS / "store/import-images.sh"

_MOMENTS = {b"createdat", b"updatedat"}

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


def image_store(debian: Path, directory: Path, payload: PayloadManifest, cache: Cache) -> ImageStore:
    """The store with every image of the `payload` in `directory`, unpacked by the containerd of the tree `debian`."""
    images = [f"{image.reference} {image.digest}" for image in payload.images]
    key = cache_key([debian.name, _SCRIPT, Path(__file__), Path(bolt.__file__), *images])
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
    for database in root.glob("*/*.db"):
        _make_repeatable(database)


def _make_repeatable(database: Path) -> None:
    """Equal images give an equal database: moments become the epoch, and the order of transactions leaves no trace."""
    content = bolt.load(database.read_bytes())
    _set_moments(content, _go_time(source_date_epoch()))
    database.write_bytes(bolt.dump(content))


def _set_moments(bucket: bolt.Bucket, moment: bytes) -> None:
    for key, value in bucket.entries.items():
        if isinstance(value, bolt.Bucket):
            _set_moments(value, moment)
        elif key in _MOMENTS:
            bucket.entries[key] = moment


def _go_time(unix_seconds: int) -> bytes:
    """As Go's `time.Time.MarshalBinary` writes it: version, seconds since the year 1, nanoseconds, no zone."""
    return struct.pack(">BqIh", 1, unix_seconds + 62_135_596_800, 0, -1)
