"""Unpacks archives that hosts and node0 send, without trusting their content."""

from __future__ import annotations

import io
import tarfile
import zlib
from collections.abc import Iterator

from agent.model.problems import Problem

MAX_BYTES = 256 * 1024 * 1024
"""Unpacked, of one archive."""


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Path → content of a tar, compressed or not; regular files only, and no more than `MAX_BYTES` of them.

    Problem: `archive-damaged`.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r|*") as tar:
            return dict(_files(tar))
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise Problem(
            code="archive-damaged",
            title=f"The answer is no archive: {error}",
            detail=archive[:300].decode(errors="replace"),
        ) from error


def _files(tar: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    left = MAX_BYTES
    for member in tar:
        left -= member.size
        content = tar.extractfile(member) if member.isreg() and left >= 0 else None
        if content is not None:
            yield member.name, content.read()
