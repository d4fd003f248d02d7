"""The values of Kubernetes Secrets, in YAML and in JSON, indented or on one line. Names of keys stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from node0.trust.scrub.spans import Span

KIND = "kubernetes secret"
RANK = 3

_LINE = re.compile(
    rb"(?m)^(?![ \t\r]*+$)(?P<indent>[ \t]*+)(?P<item>- |---)?\\?[\"']?"
    rb"(?:(?P<kind>kind)(?=[\\\"' \t:])|(?P<data>data|stringData)(?=[\\\"' \t:])|[^\s:\"'\\]{1,253}+)?"
    rb"(?P<colon>\\?[\"']?[ \t]{0,8}+:)?[ \t]{0,40}+(?P<value>[^\r\n]*+)"
)
_HAS_DATA = re.compile(rb"(?m)^[ \t]*+(?:- )?[\"']?(?:data|stringData)[\"']?[ \t]{0,8}+:")
_SECRET = b"Secret"

# A text as long as this may be a window on a longer one.
_LONGEST_OBJECT = 32 * 1024

# Compact JSON, also as text inside JSON: the kind may stand before or behind.
_COMPACT_KIND = re.compile(rb"kind\\{0,7}\"[ \t]{0,8}+:[ \t]{0,8}+\\{0,7}\"Secret\\{0,7}\"")
_COMPACT_DATA = re.compile(rb"\"[ \t]{0,8}+:[ \t]{0,8}+\{(?P<data>[^{}]{2,}+)")
_COMPACT_NAME = re.compile(rb"\"(?:data|stringData)\\{0,7}\Z")


@dataclass
class _Object:
    """The lines at one indentation. `is_cut`: the text began inside it, or ended there."""

    kind: bytes = b""
    in_data: bool = False
    is_cut: bool = False
    has_string_data: bool = False
    values: list[tuple[int, int]] = field(default_factory=list)

    def spans(self) -> Iterator[Span]:
        if self.kind == _SECRET or (not self.kind and (self.has_string_data or self.is_cut)):
            yield from (Span(start, end, KIND, RANK) for start, end in self.values)


def find_kubernetes_secrets(text: bytes) -> Iterator[Span]:
    if b"ata" not in text:
        return
    if _COMPACT_KIND.search(text):
        for found in _COMPACT_DATA.finditer(text):
            if _COMPACT_NAME.search(text, max(0, found.start() - 20), found.start()):
                yield Span(*found.span("data"), KIND, RANK)
    if _HAS_DATA.search(text):
        yield from _indented(text)


def _indented(text: bytes) -> Iterator[Span]:
    """One pass over the lines. `objects`: indentation → what is open there."""
    objects: dict[int, _Object] = {}
    for line in _LINE.finditer(text):
        for closed in _closed(objects, line):
            yield from closed.spans()
        _read(objects, line)
    for unfinished in objects.values():
        unfinished.is_cut = unfinished.in_data and len(text) > _LONGEST_OBJECT
        yield from unfinished.spans()


def _closed(objects: dict[int, _Object], line: re.Match[bytes]) -> list[_Object]:
    """The objects that end before this line."""
    indent = _indentation(line)
    ends = [at for at in objects if at > indent or (at == indent and line["item"])]
    inner = any(at < indent and one.in_data for at, one in objects.items())
    return [] if inner else [objects.pop(at) for at in ends]


def _read(objects: dict[int, _Object], line: re.Match[bytes]) -> None:
    indent = _indentation(line)
    for at, outer in objects.items():
        if at < indent and outer.in_data:
            outer.values.append(line.span("value") if line["colon"] and line["value"] else _whole(line))
            return
    if not line["colon"]:
        return
    current = objects.setdefault(indent, _Object())
    current.in_data = bool(line["data"])
    if line["kind"]:
        current.kind = line["value"].strip(b" ,\\\"'")
    elif line["data"]:
        current.has_string_data = current.has_string_data or line["data"] == b"stringData"
        if line["value"].strip(b" {},"):
            current.values.append(line.span("value"))


def _whole(line: re.Match[bytes]) -> tuple[int, int]:
    return line.end("indent"), line.end()


def _indentation(line: re.Match[bytes]) -> int:
    """Of the line's key: behind the dash of a list."""
    return len(line["indent"]) + (2 if line["item"] == b"- " else 0)
