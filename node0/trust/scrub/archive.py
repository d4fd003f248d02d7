"""Packed files: unpacked within bounds, scrubbed, and packed again."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from agent.model.printable import printable
from node0.trust.scrub.spans import mark

# An archive of logs may not become larger than this when it is unpacked, with all that is packed in it.
MAX_UNPACKED_BYTES = 256 * 1024 * 1024
MAX_FILES = 20_000

# An archive in an archive, and rotated logs in that.
MAX_DEPTH = 4

_SPOOLED_BYTES = 1024 * 1024
_LONGEST_HEADER = 64 * 1024
_LONGEST_NAME = 1000
_BUFFER = 64 * 1024
_HEADER_TYPES = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
)  # fmt: skip
_GZIP = b"\x1f\x8b"
_TAR, _TAR_PLACE = b"ustar", 257
_HEAD = 512

# xz, bzip2, Zstandard, zip, 7z: nothing of ours writes them, and they are not unpacked.
_UNREADABLE = (b"\xfd7zXZ\0", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"7z\xbc\xaf")
_ERRORS = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile)

Copy = Callable[[IO[bytes], IO[bytes]], Counter[str]]


class _Entry(tarfile.TarInfo):
    """tarfile reads the headers of long names whole into memory."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        if self.type in _HEADER_TYPES and self.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {self.size} bytes")
        return cast(tarfile.TarInfo, super()._proc_member(tar))  # type: ignore[misc]


class _Counted(io.RawIOBase):
    """`source`, which tells `take` how many bytes it has read."""

    def __init__(self, source: IO[bytes], take: Callable[[int], None]) -> None:
        self._source = source
        self._take = take

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._source.read(len(buffer))
        self._take(len(data))
        buffer[: len(data)] = data
        return len(data)


class PackedFiles:
    """Scrubs one file, and what is packed in it. `copy`: scrubs a text."""

    def __init__(self, copy: Copy) -> None:
        self._copy = copy
        self._removed: Counter[str] = Counter()
        self._bytes_left = MAX_UNPACKED_BYTES
        self._files_left = MAX_FILES

    def file(self, source: IO[bytes], target: IO[bytes]) -> Counter[str]:
        """Returns what was removed. Raises ValueError when it is too large unpacked."""
        self._file(self._counted(source), target, 0)
        return self._removed

    def archive(self, source: Path, target: Path) -> Counter[str]:
        """As `Scrubber.archive`."""
        try:
            with source.open("rb") as file, target.open("wb") as out, _packed(out) as packed:
                is_gzip = file.peek(len(_GZIP)).startswith(_GZIP)
                self._tar(self._counted(_unpacked(file) if is_gzip else file), packed, 1)
        except _ERRORS as error:
            raise ValueError(f"it is not a tar archive: {error}") from error
        return self._removed

    def _file(self, source: io.BufferedReader, target: IO[bytes], depth: int) -> None:
        head = source.peek(_HEAD)[:_HEAD]
        is_gzip, is_tar = head.startswith(_GZIP), head.startswith(_TAR, _TAR_PLACE)
        if head.startswith(_UNREADABLE) or ((is_gzip or is_tar) and depth >= MAX_DEPTH):
            target.write(mark("packed file", self._removed))
        elif is_gzip or is_tar:
            with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as clean:
                self._repack(source, target, cast(IO[bytes], clean), is_gzip=is_gzip, depth=depth + 1)
        else:
            self._removed += self._copy(source, target)

    def _repack(
        self, source: io.BufferedReader, target: IO[bytes], clean: IO[bytes], *, is_gzip: bool, depth: int
    ) -> None:
        """Into `clean` first: a file that is damaged behind its beginning is removed whole."""
        try:
            if is_gzip:
                with _packed(clean) as packed:
                    self._file(self._counted(_unpacked(source)), packed, depth)
            else:
                self._tar(source, clean, depth)
        except _ERRORS:
            target.write(mark("damaged file", self._removed))
        else:
            clean.seek(0)
            while chunk := clean.read(_SPOOLED_BYTES):
                target.write(chunk)

    def _tar(self, source: io.BufferedReader, target: IO[bytes], depth: int) -> None:
        """Every regular file of `source`, scrubbed, into `target`. Raises ValueError when it is too large."""
        with (
            tarfile.open(fileobj=source, mode="r|", tarinfo=_Entry) as old,
            tarfile.open(fileobj=target, mode="w|") as new,
        ):
            for member in old:
                self._take_file(member)
                content = old.extractfile(member) if member.isreg() else None
                if content is not None:
                    with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as clean:
                        written = cast(IO[bytes], clean)
                        self._file(cast(io.BufferedReader, content), written, depth)
                        new.addfile(_entry(member, written), written)

    def _take_file(self, member: tarfile.TarInfo) -> None:
        self._files_left -= 1
        if self._files_left < 0:
            raise ValueError(f"it has more than {MAX_FILES} files")
        if member.issparse():
            self._take(member.size)  # its holes are in no stream

    def _counted(self, source: IO[bytes]) -> io.BufferedReader:
        return io.BufferedReader(_Counted(source, self._take), _BUFFER)

    def _take(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise ValueError(f"it unpacks to more than {MAX_UNPACKED_BYTES} bytes")


def _entry(member: tarfile.TarInfo, content: IO[bytes]) -> tarfile.TarInfo:
    """A plain file of the same name, which cannot escape the directory in which it is unpacked."""
    parts = [part for part in PurePosixPath(printable(member.name[:_LONGEST_NAME])).parts if part not in {"/", ".."}]
    entry = tarfile.TarInfo("/".join(parts) or "unnamed")
    entry.mtime = member.mtime
    entry.mode = 0o600
    entry.size = content.seek(0, io.SEEK_END)
    content.seek(0)
    return entry


def _unpacked(source: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(fileobj=source))


def _packed(target: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(fileobj=target, mode="wb", compresslevel=1))
