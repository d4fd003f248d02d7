"""Removes secrets from texts of any length, window by window."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from node0.trust.scrub.archive import PackedFiles
from node0.trust.scrub.encoded import find_encoded
from node0.trust.scrub.kubernetes import find_kubernetes_secrets
from node0.trust.scrub.names import find_named
from node0.trust.scrub.shapes import find_shapes
from node0.trust.scrub.spans import Span, merged, without

# A text that a host reports is stored, shown, and part of events.
MAX_TEXT = 4000  # characters

# A pattern runs over one window without a pause for other threads: some milliseconds.
WINDOW = 32 * 1024

# A secret of this size lies whole in one window. A longer one takes the rest of its line with it.
OVERLAP = 16 * 1024

_SHORTEST_SECRET = 16

# Behind a secret that is longer than a window: the rest of its line, and lines of base64.
_CONTINUED = re.compile(rb"[^\n]*+(?:\n[ \t]*+[A-Za-z0-9+/=_-]{16,}+(?=\s|\Z))*")


class Scrubber:
    """Removes `secrets` from texts and archives, and everything that looks like a secret."""

    def __init__(self, secrets: Iterable[bytes]) -> None:
        known = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
        self.known = sorted(known, key=len, reverse=True)

    def copy(self, source: IO[bytes], target: IO[bytes]) -> Counter[str]:
        """`source` to `target`, and what was removed: kind → how often. NULs go, so UTF-16 is searched like ASCII."""
        removed: Counter[str] = Counter()
        text, is_open = b"", False
        while chunk := source.read(WINDOW):
            text += chunk.replace(b"\0", b"")
            if is_open:
                text, is_open = _without_continued(text)
            if len(text) >= WINDOW + OVERLAP:
                text, is_open = self._write(text, _boundary(text), target, removed)
        self._write(text, len(text), target, removed)
        return removed

    def text(self, text: str) -> str:
        """`text` without secrets, cut to `MAX_TEXT` characters: the reason comes before the output.

        Takes milliseconds whatever the text is: of a longer one, only `3 * MAX_TEXT` characters are searched.
        """
        clean = io.BytesIO()
        begin = text[: 3 * MAX_TEXT]
        searched = _bytes(begin)
        is_cut = len(begin) < len(text)
        # A secret that was cut may not be found: it is behind what is shown.
        self._write(searched, len(_bytes(begin[: 2 * MAX_TEXT])) if is_cut else len(searched), clean, Counter())
        words = clean.getvalue().decode(errors="replace")
        return f"{words[:MAX_TEXT]} […]" if is_cut or len(words) > MAX_TEXT else words

    def file(self, source: IO[bytes], target: IO[bytes]) -> Counter[str]:
        """As `copy`, and what is packed as gzip or tar is unpacked, scrubbed, and packed again."""
        return PackedFiles(self.copy).file(source, target)

    def archive(self, source: Path, target: Path) -> Counter[str]:
        """The tar archive `source` (gzip or plain) as `target` (tar.gz): regular files only, scrubbed.

        Returns what was removed. Raises ValueError when `source` is no such archive, or too large when unpacked.
        """
        return PackedFiles(self.copy).archive(source, target)

    def _write(self, text: bytes, boundary: int, target: IO[bytes], removed: Counter[str]) -> tuple[bytes, bool]:
        """Write `text` up to `boundary`, without its secrets. Returns the rest, and whether a secret goes on."""
        spans = [span for span in merged(self._spans(text, 0)) if span.start < boundary]
        target.writelines(without(text, spans, boundary, removed))
        done = max(boundary, spans[-1].end) if spans else boundary
        return text[done:], boundary < done == len(text)

    def _spans(self, text: bytes, depth: int) -> Iterator[Span]:
        yield from self._known_secrets(text)
        yield from find_shapes(text)
        yield from find_encoded(text, depth, self._has_secret)
        yield from find_named(text)
        yield from find_kubernetes_secrets(text)

    def _known_secrets(self, text: bytes) -> Iterator[Span]:
        for secret in self.known:
            place = text.find(secret)
            while place >= 0:
                yield Span(place, place + len(secret), "known secret", -1)
                place = text.find(secret, place + len(secret))

    def _has_secret(self, text: bytes, depth: int) -> bool:
        windows = (text[start : start + WINDOW + OVERLAP] for start in range(0, len(text), WINDOW))
        return any(True for window in windows for _ in self._spans(window, depth))


def _boundary(text: bytes) -> int:
    """Where the next window begins: with a line, if there is one."""
    latest = len(text) - OVERLAP
    return text.rfind(b"\n", latest - OVERLAP, latest) + 1 or latest


def _without_continued(text: bytes) -> tuple[bytes, bool]:
    found = _CONTINUED.match(text)
    end = found.end() if found else 0
    return text[end:], end == len(text)


def _bytes(text: str) -> bytes:
    return text.replace("\0", "").encode(errors="replace")
