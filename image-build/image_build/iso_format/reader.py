"""Reads a base ISO: whether it is ours and complete, and where its files and its two areas are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from agent.model.problems import Problem
from image_build.iso_format import iso9660
from image_build.iso_format.release import RELEASE_PATH, SCHEMA, Area, IsoRelease


@dataclass(frozen=True)
class BaseIso:
    """A complete base ISO; extents are byte ranges of the file. `files`: the extents of `release.files`."""

    path: Path
    size: int
    release: IsoRelease
    ignition: iso9660.Extent
    kargs: iso9660.Extent
    files: dict[str, iso9660.Extent]


def read_base_iso(path: Path) -> BaseIso:
    """Reads a few kilobytes of the ISO at `path`. Problem: `base-iso-missing`, `base-iso-damaged`."""
    try:
        with path.open("rb") as image:
            return _read(path, image)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not path.exists():
            raise _missing(path) from error
        raise _damaged(path, f"{error.strerror or 'not in the image'}: {error.filename or error}") from error
    except (iso9660.NotIso9660Error, msgspec.DecodeError) as error:
        raise _damaged(path, str(error)) from error


def _read(path: Path, image: BinaryIO) -> BaseIso:
    size = path.stat().st_size
    claimed = iso9660.volume_size(image)
    if size < claimed:
        raise _damaged(path, f"the file has {size} bytes, its file system {claimed}")
    release = _release(path, image)
    files = {name: iso9660.locate(image, name) for name in release.files}
    for name, extent in files.items():
        _check_size(path, name, extent, release.files[name].size)
    return BaseIso(
        path=path,
        size=size,
        release=release,
        ignition=_area(path, image, release.areas.ignition),
        kargs=_area(path, image, release.areas.kargs),
        files=files,
    )


def _release(path: Path, image: BinaryIO) -> IsoRelease:
    where = iso9660.locate(image, RELEASE_PATH)
    image.seek(where.offset)
    release = msgspec.json.decode(image.read(where.size), type=IsoRelease)
    if release.schema != SCHEMA:
        raise _damaged(path, f"/{RELEASE_PATH} has schema {release.schema}, this cluster0 supports {SCHEMA}")
    return release


def _area(path: Path, image: BinaryIO, area: Area) -> iso9660.Extent:
    extent = iso9660.locate(image, area.path)
    _check_size(path, area.path, extent, area.size)
    return extent


def _check_size(path: Path, name: str, extent: iso9660.Extent, expected: int) -> None:
    if extent.size != expected:
        raise _damaged(path, f"/{name} has {extent.size} bytes, /{RELEASE_PATH} says {expected}")


def _missing(path: Path) -> Problem:
    return Problem(
        code="base-iso-missing",
        title=f"There is no base ISO at {path}.",
        remedy="Build one with `cluster0 image build -o FILE`, or name an existing one with --base-iso.",
    )


def _damaged(path: Path, why: str) -> Problem:
    return Problem(
        code="base-iso-damaged",
        title=f"{path} is not a complete cluster0 base ISO.",
        detail=why,
        remedy="Copy or download it again, or build a new one with `cluster0 image build`.",
    )
