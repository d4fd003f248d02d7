"""Uploaded logs: one archive a host and one of the controller, next to the database. A new upload replaces the old."""

from __future__ import annotations

import asyncio
import os
import shutil
import tarfile
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from agent.machine.process import Processes
from node0.refusals import BadRequest, NotFound, TooLarge, Unavailable
from node0.store import database
from node0.trust.scrub import Scrubber, scrub_archive

# A live host keeps them in memory. Upstream accepts 250 MB.
MAX_BYTES = 64 * 1024 * 1024

# The database is on the same file system. An upload needs its size twice: as received, and without its secrets.
RESERVED_BYTES = 2 * MAX_BYTES

CONTROLLER = "controller"


class Logs:
    """`directory` returns the directory, which moves with the database. Names are host ids, or `CONTROLLER`."""

    def __init__(self, directory: Callable[[], Path], scrubber: Scrubber, processes: Processes) -> None:
        self._directory = directory
        self._scrubber = scrubber
        self._processes = processes
        self._moving = asyncio.Lock()
        self._cleaning = asyncio.Lock()  # one at a time: it takes a processor, for up to some minutes

    async def save(self, name: str, chunks: AsyncIterable[bytes]) -> None:
        """Store the archive in `chunks` without its secrets. Raises `TooLarge`, `BadRequest`, `Unavailable`."""
        self._check_free_space()
        with self._writing(".upload") as upload:
            await _write(upload, chunks)
            with self._writing(".clean") as clean:
                async with self._cleaning:
                    await self._clean(upload, clean)
                async with self._moving:
                    await asyncio.to_thread(_keep, clean, self._path(name))

    def _check_free_space(self) -> None:
        """Logs must not take the space that the install needs."""
        directory = self._directory().parent
        if shutil.disk_usage(directory).free < RESERVED_BYTES:
            raise Unavailable(
                code="logs-no-room",
                title=f"Less than {RESERVED_BYTES} bytes are free in {directory}: no more logs are accepted.",
                remedy="Download the stored logs, or free space.",
            )

    async def _clean(self, upload: Path, clean: Path) -> None:
        try:
            await scrub_archive(self._scrubber, upload, clean, self._processes)
        except ValueError as error:
            raise BadRequest(code="logs-not-an-archive", title=f"The uploaded file: {error}.") from error

    @asynccontextmanager
    async def moving(self, target: Path) -> AsyncIterator[None]:
        """Copy the logs to the directory `target` before the block, and remove the old ones after it succeeds.

        Uploads wait meanwhile. The block moves the database, and with it `directory`.
        """
        async with self._moving:
            old = self._directory()
            if old == target or not old.is_dir():
                yield
                return
            try:
                await asyncio.to_thread(_copy_all, old, target)
            except OSError as error:
                raise database.unavailable(target, error) from error
            yield
            await asyncio.to_thread(shutil.rmtree, old, ignore_errors=True)

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
        """A temporary file, removed afterwards unless it was moved."""
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


def _copy_all(directory: Path, target: Path) -> None:
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    for archive in directory.glob("*.tar.gz"):
        _keep(Path(shutil.copy2(archive, target / f".{archive.name}.moving")), target / archive.name)
