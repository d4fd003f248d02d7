"""Secrets that are known by their form: a table of kinds and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from node0.trust.scrub.spans import Span

# What journald writes before each line of a program.
_JOURNAL = rb"(?:[^\s\[]{1,40} [^\s\[]{1,253} [^\s\[]{1,64}\[\d{1,10}\]: [ \t]{0,80}+)?"

# A line of PEM's base64. In JSON and in Python's repr its end is written as an escape.
_PEM_LINE = rb"(?:\s|\\[nrt]){0,40}" + _JOURNAL + rb"[A-Za-z0-9+/=]{1,200}+(?=[\r\n\\\"']|\Z)"


class Shape(NamedTuple):
    """`literal`: stands in every text that matches. `pattern`: its whole match is the secret."""

    kind: str
    literal: bytes
    pattern: re.Pattern[bytes]


def _private_key(end: bytes) -> bytes:
    """From BEGIN to END if there is no other BEGIN between them, else BEGIN and the lines of base64 behind it."""
    begin = rb"-----BEGIN[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY[A-Z +]{0,10}+-----"
    inner = rb"[^-]{0,20000}+(?:-(?!----(?:BEGIN|END))[^-]{0,20000}+){0,2000}"
    return begin + rb"(?:" + inner + end + rb"|(?:" + _PEM_LINE + rb"){0,300})"


_END = rb"-----END[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY[A-Z +]{0,10}+-----"

# A web token that is wrapped goes on in lines that hold nothing else.
_WRAPPED = rb"(?:\r?\n[ \t]{0,80}+" + _JOURNAL + rb"[A-Za-z0-9_.-]{16,}+(?=[\s\"']|\Z)){0,60}"

SHAPES = (
    Shape("private key", b"PRIVATE", re.compile(_private_key(_END))),
    # A log that was cut at its front may begin in the middle of a key.
    Shape("private key", b"-----END", re.compile(rb"\A(?:" + _PEM_LINE + rb"){1,300}\s{0,4}+" + _END)),
    Shape(
        "web token",
        b"eyJ",
        re.compile(
            rb"(?:(?:(?<![A-Za-z0-9+])|(?<=\\[nrt]))eyJ|eyJ(?=hbGciOi|0eXAiOi|raWQiOi))[A-Za-z0-9_=.-]{20,}+" + _WRAPPED
        ),
    ),
    Shape(
        "bootstrap token",
        b".",
        re.compile(rb"(?<![A-Za-z0-9_])[a-z0-9]{6}\.(?=[a-z]{0,15}[0-9])[a-z0-9]{16}(?![A-Za-z0-9_])"),
    ),
    Shape(
        "password hash", b"$", re.compile(rb"\$(?:1|5|6|7|y|gy|apr1|2[abxy]|argon2[id]{1,2})\$[./A-Za-z0-9$,=+]{20,}+")
    ),
    Shape("password in address", b"://", re.compile(rb"(?<=://)[^/\s:@]{0,256}+:[^/\s@]{1,4096}+(?=@)")),
    Shape("cloud key", b"IA", re.compile(rb"(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])")),
    Shape("service token", b"gh", re.compile(rb"gh(?<![A-Za-z0-9]gh)[oprsu]_[A-Za-z0-9_]{20,}+")),
    Shape("service token", b"github_pat_", re.compile(rb"github_pat_[A-Za-z0-9_]{20,}+")),
    Shape(
        "certificate key",
        b"ey",
        re.compile(rb"(?i:certificate[-_ ]?key)[\s\\\"':=]{1,12}+(?P<secret>[0-9a-f]{64})(?![0-9a-f])"),
    ),
)


def find_shapes(text: bytes) -> Iterator[Span]:
    for shape in SHAPES:
        if shape.literal in text:
            for found in shape.pattern.finditer(text):
                start, end = found.span("secret" if "secret" in shape.pattern.groupindex else 0)
                yield Span(start, end, shape.kind)
