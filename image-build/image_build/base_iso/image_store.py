"""The payload's container images as a containerd root directory, unpacked once at build time (docs/design/boot.md).

The image's own containerd does it, so its database has the right version. The compressed layers are not kept.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.payload import Image, PayloadManifest
from agent.model.problems import Problem
from cli.command import Commands
from image_build.base_iso import bolt
from image_build.base_iso.recipe import INGREDIENTS
from image_build.cache import Cache, Workplace, cache_key
from image_build.reproducible import source_date_epoch

SNAPSHOTTER = "io.containerd.snapshotter.v1.overlayfs"
_IMPORT_SECONDS = 1800
_SCRIPT = INGREDIENTS / "store/import-images.sh"

_TIMESTAMPS = {b"createdat", b"updatedat"}

# State of one start of containerd; the identity in it must differ between hosts.
_STATE_OF_ONE_START = (
    "io.containerd.grpc.v1.introspection",
    "io.containerd.runtime.v1.linux",
    "io.containerd.runtime.v2.task",
    "tmpmounts",
)


@dataclass(frozen=True)
class ImageStore:
    """`root`: containerd's root directory. `snapshots`: its unpacked layers, apart. `references`: image names."""

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
    for name in _STATE_OF_ONE_START:
        shutil.rmtree(root / name, ignore_errors=True)
    for database in root.glob("*/*.db"):
        _make_repeatable(database)


def _make_repeatable(database: Path) -> None:
    """Equal images give an equal database: time stamps become the epoch, and buckets get a canonical order."""
    content = bolt.load(database.read_bytes())
    _set_timestamps(content, _go_time(source_date_epoch()))
    database.write_bytes(bolt.dump(content))


def _set_timestamps(bucket: bolt.Bucket, timestamp: bytes) -> None:
    for key, value in bucket.entries.items():
        if isinstance(value, bolt.Bucket):
            _set_timestamps(value, timestamp)
        elif key in _TIMESTAMPS:
            bucket.entries[key] = timestamp


def _go_time(unix_seconds: int) -> bytes:
    """Go's `time.Time.MarshalBinary`: version, seconds since the year 1, nanoseconds, no zone."""
    return struct.pack(">BqIh", 1, unix_seconds + 62_135_596_800, 0, -1)


def require_every_image(payload: PayloadManifest, store: Iterable[str]) -> None:
    """`store`: the references that containerd lists. Problem: `image-missing`, which names each missing image."""
    missing = sorted(required_images(payload) - set(store))
    if missing:
        raise Problem(
            code="image-missing",
            title=f"The image store lacks {len(missing)} of the images that the cluster needs.",
            detail="\n".join(missing),
            remedy="Build the payload again. If it still names an image that it does not contain, that is a bug.",
        )


def required_images(payload: PayloadManifest) -> set[str]:
    """All references that the payload's programs and manifests use."""
    named = {payload.pause, payload.etcd, *(image.reference for image in payload.images)}
    return named | ({payload.coredns} if payload.coredns else set())
