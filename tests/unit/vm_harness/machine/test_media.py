"""Disks, sticks, and the digest that shows whether a disk was written to."""

from __future__ import annotations

import os
from pathlib import Path

from vm_harness.machine.media import STICK_BYTES, content_digest, create_disk, write_stick


def test_a_disk_takes_no_space_until_it_is_written(tmp_path: Path) -> None:
    disk = create_disk(tmp_path / "disk.img", 40 << 30)
    assert disk.stat().st_size == 40 << 30
    assert disk.stat().st_blocks == 0


def test_the_digest_of_a_disk_changes_with_every_byte_written(tmp_path: Path) -> None:
    disk = create_disk(tmp_path / "disk.img", 1 << 30)
    digests = [content_digest(disk)]
    for offset, data in ((0, b"x"), (500 << 20, b"y"), (500 << 20, b"z")):
        with disk.open("r+b") as file:
            file.seek(offset)
            file.write(data)
        digests.append(content_digest(disk))
    assert len(set(digests)) == len(digests)
    assert content_digest(disk) == digests[-1]


def test_a_stick_is_the_iso_followed_by_zeros(tmp_path: Path) -> None:
    iso = tmp_path / "some.iso"
    iso.write_bytes(os.urandom(4096))
    stick = write_stick(iso, tmp_path / "stick.img")
    assert stick.stat().st_size == STICK_BYTES
    with stick.open("rb") as file:
        assert file.read(8192) == iso.read_bytes() + bytes(4096)
