"""Secrets are taken out of what leaves node0: known ones by their text, private keys and tokens by their shape."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from agent.api import local
from agent.machine.files import Files

REMOVED = b"[removed: a secret]"

# A JSON web token, a bootstrap token of kubeadm, and what belongs to a password in an address.
_SHAPES = re.compile(
    rb"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    rb"|\b[a-z0-9]{6}\.[a-z0-9]{16}\b"
    rb"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)
_KEY_BEGINS, _KEY_ENDS = b"PRIVATE KEY-----", b"-----END"

# An archive of logs may not become larger than this when it is unpacked.
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
_LONGEST_LINE = 64 * 1024

_SPOOLED_BYTES = 1024 * 1024

_SHORTEST_SECRET = 16
_GZIP = b"\x1f\x8b"


class Scrubber:
    """Takes `secrets` out of texts and archives, and whatever looks like one."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}, key=len, reverse=True)
        self._known = re.compile(b"|".join(map(re.escape, known))) if known else None

    def line(self, line: bytes) -> bytes:
        if self._known is not None:
            line = self._known.sub(REMOVED, line)
        return _SHAPES.sub(REMOVED, line)

    def copy(self, source: IO[bytes], target: IO[bytes]) -> None:
        """`source` line by line to `target`; lines of private keys are left out, very long lines are cut."""
        in_key = False
        while line := source.readline(_LONGEST_LINE):
            if not in_key and _KEY_BEGINS in line and b"-----BEGIN" in line:
                in_key = True
                target.write(REMOVED + b"\n")
            if in_key:
                in_key = _KEY_ENDS not in line
            else:
                target.write(self.line(line))

    def archive(self, source: Path, target: Path) -> None:
        """The tar archive `source` (gzip or plain) as `target` (tar.gz): regular files only, scrubbed.

        Raises ValueError when `source` is no such archive, or unpacks to too much.
        """
        with source.open("rb") as file:
            mode: Literal["r|gz", "r|"] = "r|gz" if file.read(2) == _GZIP else "r|"
        try:
            with tarfile.open(source, mode) as old, tarfile.open(target, "w:gz", compresslevel=1) as new:
                self._members(old, new)
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"it is not a tar archive: {error}") from error

    def _members(self, old: tarfile.TarFile, new: tarfile.TarFile) -> None:
        left = MAX_UNPACKED_BYTES
        for member in old:
            content = old.extractfile(member) if member.isreg() else None
            if content is None:
                continue
            left -= member.size
            if left < 0:
                raise ValueError(f"it unpacks to more than {MAX_UNPACKED_BYTES} bytes")
            with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as clean:
                self.copy(content, clean)
                clean.seek(0)
                new.addfile(_entry(member, clean), clean)


def _entry(member: tarfile.TarInfo, content: IO[bytes]) -> tarfile.TarInfo:
    """A plain file of the same name, which cannot lead out of where it is unpacked."""
    parts = [part for part in PurePosixPath(member.name).parts if part not in {"/", ".."}]
    entry = tarfile.TarInfo("/".join(parts) or "unnamed")
    entry.mtime = member.mtime
    entry.mode = 0o600
    entry.size = content.seek(0, io.SEEK_END)
    content.seek(0)
    return entry


def of_node0(files: Files) -> Scrubber:
    """A scrubber that knows every secret node0 has been given; `files`: the machine's."""
    secrets = []
    for path in sorted(files.at(local.NODE0_DIRECTORY).rglob("*")):
        if path.is_file() and path.stat().st_mode & 0o077 == 0:
            secrets += path.read_bytes().split()
    secrets += files.read(local.AGENT_TOKEN_FILE, default="").encode().split()
    return Scrubber(secrets)
