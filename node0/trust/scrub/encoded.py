"""Secrets inside base64 and URL encoding. What is packed inside base64, as Helm's releases, is unpacked first."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Callable, Iterator
from urllib.parse import unquote_to_bytes

from node0.trust.scrub.spans import Span

KIND = "encoded secret"
KEY_KIND = "encoded private key"
PACKED_KIND = "packed data"
RANK = 1

# Base64 in base64 in URL encoding, and one more.
MAX_DEPTH = 3

# Logs and documents shrink to a tenth. What grows more is removed unread.
_MOST_GROWTH = 20
_GZIP = b"\x1f\x8b\x08"

_SHORTEST = 24
_RUN = re.compile(
    rb"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+={0,2}+(?:\r?\n[ \t]{0,80}+[A-Za-z0-9+/_-]{16,}+={0,2}+(?=\s|\Z))*"
)
_WORD = re.compile(rb"[^\s\"'<>]{8,}+")
_ESCAPE = re.compile(rb"%[0-9A-Fa-f]{2}")
_STANDARD = bytes.maketrans(b"-_", b"+/")

# The head of a decoded text. Random bytes look like text once in a hundred million times.
_TEXT = re.compile(rb"[\0\t\r\n\x20-\x7e]{12}")


def _inside_base64(words: bytes) -> Iterator[bytes]:
    """How `words` look inside base64, wherever they begin: without the characters that hold bits of others."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + words)
        whole = (before + len(words)) * 8 // 6
        yield encoded[-(-before * 8 // 6) : whole]


# Texts that stand in keys' PEM and in the headers of web tokens, and how keys without PEM begin: RFC 5208, 5915, 8017.
_KEY_WORDS = tuple(_inside_base64(b"PRIVATE KEY-----"))
_TOKEN_WORDS = tuple(part for words in (b"eyJhbGciOi", b"eyJ0eXAiOi") for part in _inside_base64(words))
_KEY_HEAD = re.compile(
    rb"MHcCAQEEI|MIGkAgEBBD|MIGHAgEAMBMGByqGSM49|MIG2AgEAMBAGByqGSM49|MC4CAQAwBQYDK2VwBCIEI"
    rb"|MII[A-Za-z0-9+/]{2}[AQgw]IBA(?:AKC|DAN)"
)

Search = Callable[[bytes, int], bool]


def find_encoded(text: bytes, depth: int, has_secret: Search) -> Iterator[Span]:
    """`has_secret` tells of a decoded text, and its depth, whether a secret is in it."""
    for found in _RUN.finditer(text):
        if kind := _kind_of_base64(found[0], depth, has_secret, is_cut=depth == found.start() == 0):
            yield Span(found.start(), found.end(), kind, RANK)
    if _ESCAPE.search(text):
        for found in _WORD.finditer(text):
            if _ESCAPE.search(found[0]) and _is_found_in(unquote_to_bytes(found[0]), depth, has_secret):
                yield Span(found.start(), found.end(), KIND, RANK)


def _kind_of_base64(run: bytes, depth: int, has_secret: Search, *, is_cut: bool) -> str:
    joined = b"".join(run.split())
    if any(words in joined for words in _KEY_WORDS) or _KEY_HEAD.search(joined):
        return KEY_KIND
    if any(words in joined for words in _TOKEN_WORDS):
        return KIND
    lines = run.split()
    for candidate in (joined, *(lines if len(lines) > 1 else ())):
        for shift in range(4 if is_cut else 1):
            if kind := _kind_of_decoded(candidate[shift:], depth, has_secret):
                return kind
    return ""


def _kind_of_decoded(run: bytes, depth: int, has_secret: Search) -> str:
    head = _decoded(run[:_SHORTEST])
    if not head.startswith(_GZIP) and not _TEXT.match(head):
        return ""
    content = _decoded(run)
    if not head.startswith(_GZIP):
        return KIND if _is_found_in(content, depth, has_secret) else ""
    unpacked = _unpacked(content)
    if unpacked is None or depth >= MAX_DEPTH:
        return PACKED_KIND
    return KIND if _is_found_in(unpacked, depth, has_secret) else ""


def _decoded(run: bytes) -> bytes:
    """Empty when it is no base64."""
    run = run.rstrip(b"=").translate(_STANDARD)
    run = run[: len(run) - (len(run) % 4 == 1)]  # no byte ends there: it is cut
    try:
        return binascii.a2b_base64(run + b"=" * (-len(run) % 4))
    except binascii.Error:  # padding in its middle
        return b""


def _unpacked(content: bytes) -> bytes | None:
    """None when it is damaged, cut, or larger than it may become."""
    unpack = zlib.decompressobj(wbits=31)
    try:
        result = unpack.decompress(content, len(content) * _MOST_GROWTH)
    except zlib.error:
        return None
    return result if unpack.eof else None


def _is_found_in(content: bytes, depth: int, has_secret: Search) -> bool:
    return depth < MAX_DEPTH and has_secret(content.replace(b"\0", b""), depth + 1)
