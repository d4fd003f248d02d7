"""The base ISO in the cache, for when the user names none; and the check of its SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path

from agent.model.problems import Problem
from image_build.cache import Cache

BASE_ISOS = "base-iso"


def built_base_iso(cache: Cache) -> Path | None:
    """The newest in `base-iso/` of the cache."""
    return max((cache.root / BASE_ISOS).glob("*.iso"), key=lambda path: path.stat().st_mtime, default=None)


def newest_base_iso(cache: Cache) -> Path:
    """The newest base ISO in the cache. Raises Problem `base-iso-missing` if there is none."""
    newest = built_base_iso(cache)
    if newest is None:
        raise Problem(
            code="base-iso-missing",
            title=f"There is no base ISO: none was named, and none is in {cache.root / BASE_ISOS}.",
            remedy="Build one with `sudo cluster0 image build`; or name one with --base-iso.",
        )
    return newest


def check_sum(base_iso: Path, expected: str) -> None:
    """Reads the whole file. Problem: `base-iso-missing`, `base-iso-checksum`."""
    try:
        with base_iso.open("rb") as image:
            found = hashlib.file_digest(image, "sha256").hexdigest()
    except OSError as error:
        raise Problem(
            code="base-iso-missing",
            title=f"{base_iso} cannot be read: {error.strerror}.",
            remedy="Name an existing base ISO with --base-iso.",
        ) from error
    if found != expected.strip().lower():
        raise Problem(
            code="base-iso-checksum",
            title=f"{base_iso} has the SHA-256 {found}, not {expected}.",
            remedy="Copy or download it again, or correct --base-iso-sha256.",
        )
