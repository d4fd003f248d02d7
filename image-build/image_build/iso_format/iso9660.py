"""The byte range of a file inside an ISO 9660 image.

Only what a byte-range write needs: the primary volume descriptor and its directory records (ECMA-119,
sections 8.4 and 9.1). Names are compared without case and version, so Rock Ridge and Joliet need not be read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

SECTOR = 2048
_PRIMARY_DESCRIPTOR = 16 * SECTOR
_ROOT_RECORD = 156
_IS_DIRECTORY = 0x02


class NotIso9660Error(ValueError):
    """The file has no primary volume descriptor, or invalid directory records."""


@dataclass(frozen=True)
class Extent:
    """`size` bytes from `offset` of the image."""

    offset: int
    size: int


@dataclass(frozen=True)
class _Record:
    name: str
    extent: Extent
    is_directory: bool


def volume_size(image: BinaryIO) -> int:
    """Bytes of the whole file system; a shorter file is truncated."""
    blocks: int = struct.unpack_from("<I", _descriptor(image), 80)[0]
    return blocks * SECTOR


def locate(image: BinaryIO, path: str) -> Extent:
    """The extent of the file at `path` ("images/ignition.img"). FileNotFoundError when there is none."""
    directory = _record(_descriptor(image), _ROOT_RECORD).extent
    *parents, name = path.strip("/").split("/")
    for parent in parents:
        directory = _child(image, directory, parent, is_directory=True, path=path)
    return _child(image, directory, name, is_directory=False, path=path)


def _descriptor(image: BinaryIO) -> bytes:
    image.seek(_PRIMARY_DESCRIPTOR)
    descriptor = image.read(SECTOR)
    if len(descriptor) < SECTOR or descriptor[:6] != b"\x01CD001":
        raise NotIso9660Error("no ISO 9660 primary volume descriptor")
    return descriptor


def _child(image: BinaryIO, directory: Extent, name: str, *, is_directory: bool, path: str) -> Extent:
    for record in _records(image, directory):
        if record.name == name.casefold() and record.is_directory == is_directory:
            return record.extent
    raise FileNotFoundError(path)


def _records(image: BinaryIO, directory: Extent) -> Iterator[_Record]:
    image.seek(directory.offset)
    data = image.read(directory.size)
    if len(data) < directory.size:
        raise NotIso9660Error("the image ends inside a directory")
    at = 0
    while at < len(data):
        if data[at] == 0:  # records do not cross sectors: the rest of this one is empty
            at = (at // SECTOR + 1) * SECTOR
            continue
        yield _record(data, at)
        at += data[at]


def _record(data: bytes, at: int) -> _Record:
    try:
        block, _, size = struct.unpack_from("<I4sI", data, at + 2)
        flags, name_length = data[at + 25], data[at + 32]
    except (struct.error, IndexError) as error:
        raise NotIso9660Error("a directory record is truncated") from error
    name = data[at + 33 : at + 33 + name_length].decode("ascii", "replace")
    plain = name.partition(";")[0].rstrip(".").casefold()
    return _Record(plain, Extent(block * SECTOR, size), bool(flags & _IS_DIRECTORY))
