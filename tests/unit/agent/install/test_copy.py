"""A copy is verified; a failure says whether the medium or the disk is damaged. The files are on a real disk."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from agent.install.copy import CHUNK, copy_verified
from agent.model.problems import Problem
from tests.guard.machine_limits import DIRECT_IO

SIZES = [0, 1, 4096, 4097, CHUNK - 1, CHUNK, CHUNK + 1, 8 * CHUNK + 12345]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A directory on a file system that supports O_DIRECT."""
    DIRECT_IO.skip_without()
    return tmp_path


def source_of(directory: Path, size: int) -> tuple[Path, str]:
    source = directory / "rootfs.img"
    source.write_bytes(os.urandom(size))
    return source, hashlib.sha256(source.read_bytes()).hexdigest()


@pytest.mark.parametrize("size", SIZES)
def test_the_copied_image_is_complete_and_its_bytes_are_counted(directory: Path, size: int) -> None:
    source, digest = source_of(directory, size)
    counted: list[int] = []
    copy_verified(source, directory / "out", sha256=digest, copied=counted.append)
    assert (directory / "out").read_bytes() == source.read_bytes()
    assert sum(counted) == size


def test_the_copied_image_replaces_a_longer_older_one(directory: Path) -> None:
    source, digest = source_of(directory, 5000)
    (directory / "out").write_bytes(b"x" * 100_000)
    copy_verified(source, directory / "out", sha256=digest, copied=lambda _: None)
    assert (directory / "out").read_bytes() == source.read_bytes()


def test_a_damaged_medium_is_named_with_both_checksums(directory: Path) -> None:
    source, digest = source_of(directory, CHUNK + 1)
    with pytest.raises(Problem) as caught:
        copy_verified(source, directory / "out", sha256="0" * 64, copied=lambda _: None)
    assert caught.value.code == "image-checksum-mismatch"
    assert str(source) in caught.value.title
    assert digest in caught.value.title


def test_copying_from_a_missing_medium_is_a_problem(directory: Path) -> None:
    with pytest.raises(Problem) as caught:
        copy_verified(directory / "missing", directory / "out", sha256="", copied=lambda _: None)
    assert caught.value.code == "medium-error"


def test_a_disk_that_reads_back_other_bytes_is_a_problem(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, digest = source_of(directory, 10_000)
    preadv = os.preadv

    def damaged_preadv(descriptor: int, buffers: list[memoryview], offset: int) -> int:
        count = preadv(descriptor, buffers, offset)
        buffers[0][7] ^= 1
        return count

    monkeypatch.setattr(os, "preadv", damaged_preadv)
    with pytest.raises(Problem) as caught:
        copy_verified(source, directory / "out", sha256=digest, copied=lambda _: None)
    assert caught.value.code == "disk-write-mismatch"


def test_a_disk_that_refuses_writes_is_a_problem(directory: Path) -> None:
    source, digest = source_of(directory, 10_000)
    with pytest.raises(Problem) as caught:
        copy_verified(source, directory / "nowhere/out", sha256=digest, copied=lambda _: None)
    assert caught.value.code == "disk-error"


def test_a_disk_that_fills_up_ends_the_copy(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, digest = source_of(directory, 12 * CHUNK)
    pwrite = os.pwrite

    def full_after_two_chunks(descriptor: int, data: memoryview, offset: int) -> int:
        if offset >= 2 * CHUNK:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return pwrite(descriptor, data, offset)

    monkeypatch.setattr(os, "pwrite", full_after_two_chunks)
    with pytest.raises(Problem) as caught:
        copy_verified(source, directory / "out", sha256=digest, copied=lambda _: None)
    assert caught.value.code == "disk-full"
