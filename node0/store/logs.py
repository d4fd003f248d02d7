"""Uploaded logs: one archive a host and one of the controller, beside the database; the newest replaces the last."""

from __future__ import annotations

import asyncio
import os
import tarfile
import tempfile
from collections.abc import AsyncIterable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from node0.refusals import BadRequest, NotFound, TooLarge
from node0.store import database
from node0.trust.scrub import Scrubber

# A live host keeps them in memory. Upstream takes 250 MB.
MAX_BYTES = 64 * 1024 * 1024

CONTROLLER = "controller"


class Logs:
    """`directory`: gives the directory, which moves with the database. Names are host ids, or `CONTROLLER`."""

    def __init__(self, directory: Callable[[], Path], scrubber: Scrubber) -> None:
        self._directory = directory
        self._scrubber = scrubber

    async def save(self, name: str, chunks: AsyncIterable[bytes]) -> None:
        """Keep the archive that `chunks` make, without its secrets. Raises `TooLarge`, `BadRequest`, `Unavailable`."""
        with self._writing(".upload") as upload, self._writing(".clean") as clean:
            await _write(upload, chunks)
            try:
                await asyncio.to_thread(self._scrubber.archive, upload, clean)
            except ValueError as error:
                raise BadRequest(code="logs-not-an-archive", title=f"The uploaded file: {error}.") from error
            await asyncio.to_thread(_keep, clean, self._path(name))

    def find(self, name: str) -> Path:
        """The archive of `name`. Raises `NotFound`."""
        path = self._path(name)
        if not path.is_file():
            raise NotFound(code="logs-missing", title=f"There are no logs of {name}.")
        return path

    async def all(self) -> bytes:
        """Every archive, in one tar."""
        return await asyncio.to_thread(self._bundle)

    def _bundle(self) -> bytes:
        with tempfile.TemporaryFile() as file:
            with tarfile.open(fileobj=file, mode="w") as bundle:
                for path in sorted(self._directory().glob("*.tar.gz")):
                    bundle.add(path, arcname=f"logs_{path.name}")
            file.seek(0)
            return file.read()

    def _path(self, name: str) -> Path:
        return self._directory() / f"{name}.tar.gz"

    @contextmanager
    def _writing(self, suffix: str) -> Iterator[Path]:
        """A file of our own that is gone afterwards, unless it was moved away."""
        directory = self._directory()
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=directory, suffix=suffix)
            os.close(handle)
        except OSError as error:
            raise database.unavailable(directory, error) from error
        path = Path(name)
        try:
            yield path
        except OSError as error:
            raise database.unavailable(directory, error) from error
        finally:
            path.unlink(missing_ok=True)


async def _write(path: Path, chunks: AsyncIterable[bytes]) -> None:
    size = 0
    with path.open("wb") as file:
        async for chunk in chunks:
            size += len(chunk)
            if size > MAX_BYTES:
                raise TooLarge(code="logs-too-large", title=f"The logs are larger than {MAX_BYTES} bytes.")
            await asyncio.to_thread(file.write, chunk)


def _keep(path: Path, target: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
    path.replace(target)
