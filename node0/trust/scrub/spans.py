"""Places of secrets in a text, and the text without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """A secret from `start` to before `end`. `rank`: of overlapping spans the lowest gives the kind."""

    start: int
    end: int
    kind: str
    rank: int = 0


Finder = Callable[[bytes], Iterable[Span]]


def merged(spans: Iterable[Span]) -> list[Span]:
    """In the order of the text; spans that overlap become one."""
    result: list[Span] = []
    for span in sorted(spans):
        if result and span.start < result[-1].end:
            first = min(result[-1], span, key=lambda one: one.rank)
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end), first.kind, first.rank)
        elif span.start < span.end:
            result.append(span)
    return result


def without(text: bytes, spans: Iterable[Span], boundary: int, removed: Counter[str]) -> Iterator[bytes]:
    """`text` up to `boundary` with marks instead of `spans`, which are merged, and begin before it. Counts them."""
    done = 0
    for span in spans:
        yield text[done : span.start]
        yield mark(span.kind, removed)
        done = span.end
    yield text[done:boundary]


def mark(kind: str, removed: Counter[str]) -> bytes:
    removed[kind] += 1
    return f"[removed:{kind.replace(' ', '-')}]".encode()
