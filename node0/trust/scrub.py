"""Removes secrets from what leaves a host or node0: known secrets by their text, others by their form or their name.

node0's service scrubs what hosts upload and report; `cluster0 gather` scrubs what it collects. The result counts the
removed secrets by kind.
"""

from __future__ import annotations

import base64
import gzip
import io
import re
import tarfile
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, Literal

from agent.machine.files import Files
from agent.model import host_paths

# An archive of logs may not become larger than this when it is unpacked.
MAX_UNPACKED_BYTES = 512 * 1024 * 1024

# A text that a host reports is stored, shown, and part of events.
MAX_TEXT = 4000  # characters

_LONGEST_LINE = 1024 * 1024
_LONGEST_KEY = 200  # lines
_SPOOLED_BYTES = 1024 * 1024
_SHORTEST_SECRET = 16

# Tokens and base64. The addresses and names in a kubeconfig are no secrets, and errors contain them.
_SECRET_WORD = re.compile(rb"[A-Za-z0-9+/=_.-]+")
_GZIP = b"\x1f\x8b"

_KEY_KINDS = ("", "EC ", "RSA ", "DSA ", "ENCRYPTED ", "OPENSSH ")


def _encoded_key_begins() -> bytes:
    """How a private key's PEM begins in base64, as in kubeconfigs; only whole groups of three bytes."""
    begins = (f"-----BEGIN {kind}PRIVATE KEY".encode() for kind in _KEY_KINDS)
    return b"|".join(base64.b64encode(begin[: len(begin) // 3 * 3]) for begin in begins)


# Secrets by their form. The name of the group is the kind in the counts.
_SHAPES = re.compile(
    rb"(?P<private_key>-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----)"
    rb"|(?P<encoded_private_key>(?:" + _encoded_key_begins() + rb")[A-Za-z0-9+/=]*)"
    rb"|(?P<web_token>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"
    rb"|(?P<bootstrap_token>\b[a-z0-9]{6}\.(?=[a-z]*[0-9])[a-z0-9]{16}\b)"
    rb"|(?P<password_hash>\$(?:1|5|6|7|y|gy|2[aby])\$[./A-Za-z0-9$,=]{20,})"
    rb"|(?P<password_in_address>(?<=://)[^/\s:@]+:[^/\s@]+(?=@))"
)

# A document of the user inside a JSON string: any part of it may be a secret.
_USER_DOCUMENT = re.compile(
    rb"(?P<name>\"(?:pull_secret|install_config_overrides|ignition(?:_config)?_overrides?)\"\s*:\s*)"
    rb"\"(?:[^\"\\]|\\.)+\""
)

# Secrets by the name in front of them; the name stays. Quotes have backslashes in JSON inside JSON.
_NAMED = re.compile(
    rb"(?P<name>(?i:\b(?:authorization\\*[\"']?\s*[:=]\s*\\*[\"']?(?:bearer|basic)\s"
    rb"|certificate[-_ ]?key\\*[\"']?\s*[:=]?"
    rb"|[a-z0-9_-]*passw(?:or)?d\\*[\"']?\s*[:=]"
    rb"|(?:psk|wep-key[0-3]|client-key-data|identitytoken|registrytoken)\\*[\"']?\s*[:=]"
    rb"|auth\\*\"\s*:)))(?P<between>\s*\\*[\"']?)(?P<value>[^\s\"',}]{6,})"
)


class Scrubber:
    """Removes `secrets` from texts and archives, and everything that looks like a secret."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}, key=len, reverse=True)
        self._known = re.compile(b"|".join(map(re.escape, known))) if known else None

    def copy(self, source: IO[bytes], target: IO[bytes]) -> Counter[str]:
        """`source` line by line to `target`. Returns what was removed: kind → how often.

        Lines of private keys are left out, and lines that are too long to search.
        """
        removed: Counter[str] = Counter()
        in_key = 0
        while line := source.readline(_LONGEST_LINE):
            if not line.endswith(b"\n") and len(line) == _LONGEST_LINE:
                _skip_line(source)
                line = _mark("long line", removed) + b"\n"
            line = self._line(line, removed)
            if not in_key and b"-----BEGIN" in line and b"PRIVATE KEY-----" in line:
                in_key = _LONGEST_KEY
                target.write(_mark("private key", removed) + b"\n")
            if not in_key:
                target.write(line)
            else:
                in_key = 0 if b"-----END" in line else in_key - 1
        return removed

    def text(self, text: str) -> str:
        """`text` without secrets, cut to `MAX_TEXT` characters: the reason comes before the output."""
        clean = io.BytesIO()
        self.copy(io.BytesIO(text.encode(errors="replace")), clean)
        words = clean.getvalue().decode(errors="replace")
        return words if len(words) <= MAX_TEXT else f"{words[:MAX_TEXT]} […]"

    def archive(self, source: Path, target: Path) -> Counter[str]:
        """The tar archive `source` (gzip or plain) as `target` (tar.gz): regular files only, scrubbed.

        Returns what was removed. Raises ValueError when `source` is no such archive, or too large when unpacked.
        """
        with source.open("rb") as file:
            mode: Literal["r|gz", "r|"] = "r|gz" if file.read(2) == _GZIP else "r|"
        try:
            with tarfile.open(source, mode) as old, tarfile.open(target, "w:gz", compresslevel=1) as new:
                return self._members(old, new)
        except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"it is not a tar archive: {error}") from error

    def _members(self, old: tarfile.TarFile, new: tarfile.TarFile) -> Counter[str]:
        """Every regular file of `old`, scrubbed, into `new`. Raises ValueError when it is too large."""
        removed: Counter[str] = Counter()
        left = MAX_UNPACKED_BYTES
        for member in old:
            content = old.extractfile(member) if member.isreg() else None
            if content is None:
                continue
            left -= member.size
            if left < 0:
                raise ValueError(f"it unpacks to more than {MAX_UNPACKED_BYTES} bytes")
            with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as clean:
                removed += self.copy(content, clean)
                clean.seek(0)
                new.addfile(_entry(member, clean), clean)
        return removed

    def _line(self, line: bytes, removed: Counter[str]) -> bytes:
        if self._known is not None:
            line = self._known.sub(lambda _: _mark("known secret", removed), line)
        line = _USER_DOCUMENT.sub(lambda found: found["name"] + b'"' + _mark("confided document", removed) + b'"', line)
        line = _SHAPES.sub(lambda found: _mark((found.lastgroup or "secret").replace("_", " "), removed), line)
        return _NAMED.sub(lambda found: found["name"] + found["between"] + _mark("named secret", removed), line)


def _mark(kind: str, removed: Counter[str]) -> bytes:
    removed[kind] += 1
    return f"[removed:{kind.replace(' ', '-')}]".encode()


def _skip_line(source: IO[bytes]) -> None:
    while (rest := source.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass


def _entry(member: tarfile.TarInfo, content: IO[bytes]) -> tarfile.TarInfo:
    """A plain file of the same name, which cannot escape the directory in which it is unpacked."""
    parts = [part for part in PurePosixPath(member.name).parts if part not in {"/", ".."}]
    entry = tarfile.TarInfo("/".join(parts) or "unnamed")
    entry.mtime = member.mtime
    entry.mode = 0o600
    entry.size = content.seek(0, io.SEEK_END)
    content.seek(0)
    return entry


def of_node0(files: Files) -> Scrubber:
    """A scrubber that knows every secret on node0; `files`: the machine's."""
    secrets = []
    for path in sorted(files.at(host_paths.NODE0_DIRECTORY).rglob("*")):
        if path.is_file() and path.stat().st_mode & 0o077 == 0:
            secrets += path.read_bytes().split()
    secrets += files.read(host_paths.AGENT_TOKEN_FILE, default="").encode().split()
    return Scrubber(word for word in secrets if _SECRET_WORD.fullmatch(word))
