"""`/cluster0.json` of an ISO and `/usr/share/cluster0/release.json` of its root image (docs/design/image.md)."""

from __future__ import annotations

import msgspec

from agent.model.payload import PayloadManifest

RELEASE_PATH = "cluster0.json"
SCHEMA = 1

KERNEL = "live/vmlinuz"
INITRAMFS = "live/initrd.img"
NETWORK = "live/network.img"
"""Loaded after the initramfs, only by hosts that fetch their root image over the network."""
ROOT_IMAGE = "live/rootfs.img"


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """A file of fixed `size` (bytes) in the ISO that `create image` overwrites in place."""

    path: str
    size: int


class Areas(msgspec.Struct, frozen=True, kw_only=True):
    ignition: Area = Area(path="images/ignition.img", size=4 << 20)
    kargs: Area = Area(path="boot/grub/kargs.cfg", size=2048)


class FileDigest(msgspec.Struct, frozen=True, kw_only=True):
    size: int
    sha256: str


class ImageRelease(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `release.json`: what is in the image. `packages`: Debian package to version."""

    schema: int = SCHEMA
    build_id: str
    version: str
    suite: str
    packages: dict[str, str]
    payload: PayloadManifest


class IsoRelease(ImageRelease, frozen=True, kw_only=True):
    """The content of `cluster0.json`. `files`: the files that an install copies and verifies, by path in the ISO."""

    label: str
    areas: Areas
    files: dict[str, FileDigest]
