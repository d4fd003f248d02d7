"""newc cpio archives, which the kernel unpacks as an initramfs: the same files always give the same bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import PurePosixPath

_TRAILER = "TRAILER!!!"
_DIRECTORY = 0o040755
_FILE = 0o100600


def gzipped(files: Mapping[str, bytes]) -> bytes:
    """A compressed archive of `files` (relative path to content), mode 0600, owned by root, dated 1970."""
    # Not gzip.compress(): its header differs between Python releases.
    compressor = zlib.compressobj(level=9, wbits=31)
    return compressor.compress(archive(files)) + compressor.flush()


def archive(files: Mapping[str, bytes]) -> bytes:
    # Directories come first: the kernel skips a file whose parent is not there yet.
    parents = {str(parent) for path in files for parent in PurePosixPath(path).parents} - {"."}
    entries = [(path, _DIRECTORY, b"") for path in sorted(parents)]
    entries += [(path, _FILE, content) for path, content in sorted(files.items())]
    members = [_member(inode, *entry) for inode, entry in enumerate(entries, start=1)]
    return b"".join([*members, _member(0, _TRAILER, 0, b"")])


def _member(inode: int, path: str, mode: int, content: bytes) -> bytes:
    name = path.encode() + b"\0"
    links = 2 if mode == _DIRECTORY else 1
    # inode, mode, uid, gid, links, mtime, size, device ×4, name length, checksum
    fields = (inode, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    return _padded(header + name) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
