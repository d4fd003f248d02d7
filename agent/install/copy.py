"""Copies a file to a disk and proves it: the source against its checksum, the disk against the source.

One thread hashes a chunk, another writes it, and a third reads the one before back and compares, both past the page
cache (O_DIRECT). So the copy is verified when its last chunk is, at little more than the cost of copying, and bytes are
hashed only once.
"""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.machine.disk_errors import disk_problem
from agent.model.problems import Problem

CHUNK = 8 << 20
_IN_FLIGHT = 6  # chunks in memory at a time
_BLOCK = 4096  # what O_DIRECT aligns to, on every disk
_memcmp = ctypes.CDLL(None).memcmp


def copy_verified(source: Path, target: Path, *, sha256: str, copied: Callable[[int], None]) -> None:
    """Write `source` to the file `target` and flush it; `copied` is called with each chunk's size, in this thread.

    Raises Problem: `image-checksum-mismatch` or `medium-error` (the medium is damaged), `disk-write-mismatch`,
    `disk-error`, `disk-full`. The target may then be there, and is useless.
    """
    digest = hashlib.sha256()
    with ExitStack() as stack:
        disk = stack.enter_context(_DiskFile.create(target))
        hashing = stack.enter_context(ThreadPoolExecutor(1, "hash"))
        writing = stack.enter_context(ThreadPoolExecutor(1, "write"))
        verifying = stack.enter_context(ThreadPoolExecutor(1, "verify"))
        pending: dict[int, tuple[Future[None], Future[None]]] = {}
        for number, chunk in enumerate(_chunks(source, before_reuse=lambda number: _finish(pending.pop(number)))):
            written = writing.submit(disk.write, chunk)
            pending[number] = (hashing.submit(digest.update, chunk.data), verifying.submit(disk.verify, chunk, written))
            copied(len(chunk.data))
        for jobs in pending.values():
            _finish(jobs)
        disk.finish(source.stat().st_size)
    if digest.hexdigest() != sha256:
        raise Problem(
            code="image-checksum-mismatch",
            title=f"{source} is damaged: its SHA-256 is {digest.hexdigest()}, it should be {sha256}.",
            detail="The disk was not made bootable.",
            remedy="Write the ISO to the medium again, or make it again, and boot this host from it.",
        )


@dataclass(frozen=True)
class _Chunk:
    """`buffer` is aligned memory of CHUNK bytes, `data` the part of it that holds bytes of the file."""

    offset: int
    buffer: mmap.mmap
    data: memoryview


def _chunks(source: Path, *, before_reuse: Callable[[int], None]) -> Iterator[_Chunk]:
    """The file in order. A chunk's memory serves again for the one `_IN_FLIGHT` later: `before_reuse` waits for it."""
    buffers = [mmap.mmap(-1, CHUNK) for _ in range(_IN_FLIGHT)]
    offset = number = 0
    with _medium_errors(source), source.open("rb", buffering=0) as file:
        while True:
            buffer = buffers[number % _IN_FLIGHT]
            if number >= _IN_FLIGHT:
                before_reuse(number - _IN_FLIGHT)
            count = file.readinto(buffer)
            if not count:
                return
            yield _Chunk(offset, buffer, memoryview(buffer)[:count])
            offset += count
            number += 1


class _DiskFile:
    """A file written in chunks, each read back and compared as soon as it is written."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._back = mmap.mmap(-1, CHUNK)

    @classmethod
    @contextmanager
    def create(cls, path: Path) -> Iterator[_DiskFile]:
        with _disk_errors(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_DIRECT | os.O_CLOEXEC, 0o644)
        try:
            yield cls(path, descriptor)
        finally:
            os.close(descriptor)

    def write(self, chunk: _Chunk) -> bool:
        """Whether the disk took all of it."""
        whole_blocks = -(-len(chunk.data) // _BLOCK) * _BLOCK
        with _disk_errors(self._path):
            return os.pwrite(self._descriptor, memoryview(chunk.buffer)[:whole_blocks], chunk.offset) == whole_blocks

    def verify(self, chunk: _Chunk, written: Future[bool]) -> None:
        """Waits until `write` has `written` the chunk."""
        taken = written.result()
        with _disk_errors(self._path):
            read = os.preadv(self._descriptor, [self._back], chunk.offset)
        same = taken and read >= len(chunk.data)
        if not same or _memcmp(_address(chunk.buffer), _address(self._back), len(chunk.data)) != 0:
            raise Problem(
                code="disk-write-mismatch",
                title=f"The disk did not keep what was written to {self._path} at byte {chunk.offset}.",
                detail="The disk was not made bootable.",
                remedy="Replace the disk, or choose another one with rootDeviceHints.",
            )

    def finish(self, size: int) -> None:
        """Cut off what filled the last block, and have the disk keep everything."""
        with _disk_errors(self._path):
            os.ftruncate(self._descriptor, size)
            os.fsync(self._descriptor)


def _finish(jobs: tuple[Future[None], Future[None]]) -> None:
    for job in jobs:
        job.result()


def _address(buffer: mmap.mmap) -> ctypes.Array[ctypes.c_char]:
    return (ctypes.c_char * len(buffer)).from_buffer(buffer)


@contextmanager
def _medium_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Problem(
            code="medium-error",
            title=f"{path} cannot be read: {error.strerror}.",
            remedy="Is the ISO still attached? Write it to the medium again and boot this host from it.",
        ) from error


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise disk_problem(error, f"The disk failed at {path}") from error
