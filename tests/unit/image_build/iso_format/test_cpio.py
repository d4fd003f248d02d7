"""The archive in the embed area, in the kernel's newc format (buffer-format.rst)."""

from __future__ import annotations

import zlib

from image_build.iso_format.cpio import archive, gzipped

FILES = {"usr/lib/ignition/user.ign": b'{"ignition": {}}', "etc/name": b""}


def headers(data: bytes) -> list[tuple[str, int, bytes]]:
    """(name, mode, content) of every member up to the trailer (the kernel's buffer-format.rst has the format)."""
    members: list[tuple[str, int, bytes]] = []
    at = 0
    while True:
        assert data[at : at + 6] == b"070701"
        fields = [int(data[at + 6 + 8 * number : at + 14 + 8 * number], 16) for number in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name = data[at + 110 : at + 110 + name_size - 1].decode()
        begin = (at + 110 + name_size + 3) // 4 * 4
        if name == "TRAILER!!!":
            return members
        members.append((name, mode, data[begin : begin + size]))
        at = (begin + size + 3) // 4 * 4


def test_directories_precede_their_files_in_a_cpio_archive() -> None:
    assert [name for name, _, _ in headers(archive(FILES))] == [
        "etc", "usr", "usr/lib", "usr/lib/ignition", "etc/name", "usr/lib/ignition/user.ign",
    ]  # fmt: skip


def test_files_of_a_cpio_archive_are_complete_and_for_root_only() -> None:
    members = {name: (mode, content) for name, mode, content in headers(archive(FILES))}
    assert members["usr/lib/ignition/user.ign"] == (0o100600, b'{"ignition": {}}')
    assert members["usr/lib"] == (0o040755, b"")


def test_a_cpio_archive_does_not_depend_on_the_order_of_its_files() -> None:
    assert gzipped(FILES) == gzipped(dict(reversed(FILES.items())))


def test_the_compressed_cpio_archive_unpacks_to_the_archive() -> None:
    assert zlib.decompress(gzipped(FILES), wbits=31) == archive(FILES)
