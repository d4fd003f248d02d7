"""Does the image that this host runs from have every container image of its release, unpacked?"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agent.api.checks import ImageStatus
from agent.machine import Machine
from agent.model.host_paths import IMAGE_MOUNT, IMAGE_STORE, RELEASE_FILE

DATABASE = f"{IMAGE_MOUNT}/{IMAGE_STORE}/root/io.containerd.metadata.v1.bolt/meta.db"
SNAPSHOTS = f"{IMAGE_MOUNT}/{IMAGE_STORE}/snapshots"


class _Image(msgspec.Struct, frozen=True):
    reference: str


class _PayloadImages(msgspec.Struct, frozen=True):
    images: tuple[_Image, ...] = ()


class _ImageRelease(msgspec.Struct, frozen=True):
    payload: _PayloadImages = _PayloadImages()


def images(machine: Machine, requested: Sequence[str] = ()) -> tuple[ImageStatus, ...]:
    """Every one of `requested`, or of the release when that is empty. Raises OSError when the store cannot be read.

    containerd's database holds each name verbatim, so a search for its bytes is enough. The database and the snapshots
    are files of one squashfs, whose checksum the install verifies.
    """
    release = machine.files.load(RELEASE_FILE, _ImageRelease) or _ImageRelease()
    names = tuple(requested) or tuple(image.reference for image in release.payload.images)
    if not names:
        return ()
    database = machine.files.at(DATABASE).read_bytes()
    has_snapshots = bool(machine.files.names(SNAPSHOTS))
    return tuple(ImageStatus(name=name, result=_result(name.encode() in database and has_snapshots)) for name in names)


def _result(is_there: bool) -> str:
    return "success" if is_there else "failure"
