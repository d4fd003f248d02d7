"""bbolt's file format, written and read back. The test of the image store shows that containerd reads it."""

from __future__ import annotations

import pytest

from image_build.base_iso.bolt import Bucket, NotBoltError, dump, load


def database() -> Bucket:
    small = Bucket(entries={b"id": b"\x05", b"kind": b"\x03"})
    long = Bucket(sequence=7, entries={b"key %04d" % number: b"x" * 300 for number in range(200)})
    return Bucket(entries={b"v1": Bucket(entries={b"small": small, b"long": long, b"empty": Bucket()}), b"flat": b""})


def test_a_written_bolt_file_reads_back() -> None:
    assert load(dump(database())) == database()


def test_a_bolt_file_does_not_depend_on_the_order_of_insertion() -> None:
    backwards = Bucket(entries=dict(reversed(database().entries.items())))
    assert dump(backwards) == dump(database())


def test_large_buckets_span_whole_bolt_pages() -> None:
    data = dump(database())
    assert len(data) % 4096 == 0
    assert len(data) > 200 * 300


@pytest.mark.parametrize("data", [b"", b"\0" * 20_000, b"SQLite format 3\0".ljust(8192, b"\0")])
def test_a_file_that_is_no_bolt_file_is_refused(data: bytes) -> None:
    with pytest.raises(NotBoltError):
        load(data)


def test_a_damaged_meta_page_falls_back_to_the_older_one() -> None:
    data = bytearray(dump(database()))
    data[4096 + 20] ^= 0xFF
    assert load(bytes(data)) == database()
