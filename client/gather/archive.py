"""The archive: every file goes in without its secrets, and the manifest at its end lists what is in it."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec

from agent.model.printable import printable
from agent.model.write_errors import report_write_errors
from node0.trust.scrub import Scrubber

MANIFEST = "manifest.json"


class ArchivedSource(msgspec.Struct, frozen=True, kw_only=True):
    """One source. `files`: how many it sent. `why`: the reason for missing files; empty: none is missing."""

    name: str
    files: int = 0
    why: str = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`made_at`: RFC 3339. `removed`: file → kind of secret → how often it was removed."""

    schema: int = 1
    cluster: str
    made_at: str
    sources: tuple[ArchivedSource, ...]
    removed: dict[str, dict[str, int]]


class Archive:
    """An archive that is being written. Paths are relative to one folder, named as the archive."""

    def __init__(self, tar: tarfile.TarFile, folder: str, scrubber: Scrubber) -> None:
        self._tar = tar
        self._folder = folder
        self._scrubber = scrubber
        self.removed: dict[str, Counter[str]] = {}

    def add(self, path: str, content: bytes) -> None:
        """`path`: relative, with slashes; `..` and a leading slash are dropped."""
        clean = io.BytesIO()
        removed = self._scrubber.file(io.BytesIO(content), clean)
        name = "/".join(part for part in PurePosixPath(printable(path)).parts if part not in {"/", ".."})
        if removed:
            self.removed[name] = removed
        self._put(name, clean.getvalue())

    def finish(self, *, cluster: str, made_at: str, sources: tuple[ArchivedSource, ...]) -> Manifest:
        removed = {name: dict(counts) for name, counts in sorted(self.removed.items())}
        manifest = Manifest(cluster=cluster, made_at=made_at, sources=sources, removed=removed)
        self._put(MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        return manifest

    def _put(self, name: str, content: bytes) -> None:
        entry = tarfile.TarInfo(f"{self._folder}/{name}")
        entry.size, entry.mode, entry.mtime = len(content), 0o600, int(time.time())
        self._tar.addfile(entry, io.BytesIO(content))


@contextmanager
def new_archive(path: Path, scrubber: Scrubber) -> Iterator[Archive]:
    """`path` (….tar.gz) appears complete when the body has succeeded, mode 0600; otherwise not at all.

    Problem: `no-space`, `output-not-writable`.
    """
    folder = path.name.removesuffix(".tar.gz")
    with report_write_errors(path):
        handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with report_write_errors(path):
            with os.fdopen(handle, "wb") as file:
                with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as tar:
                    yield Archive(tar, folder, scrubber)
                file.flush()
                os.fsync(file.fileno())
            Path(unfinished).replace(path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
