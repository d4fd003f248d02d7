"""Text of a growing log, in pieces of bounded size: a guest may print any amount."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

BLOCK_BYTES = 1 << 20
CARRIED_BYTES = 1 << 16
"""The most that is read of an unfinished line, or of a log's end."""
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][0-9A-B]|[=>78cDM])|\r|\x00")


class LogReader:
    """Reads `log` from `place` on (bytes)."""

    def __init__(self, log: Path, place: int) -> None:
        self._log = log
        self._place = place
        self._unfinished = b""

    def new_text(self) -> Iterator[str]:
        """The text written since the last call, without colours and cursor movements.

        Each piece begins with the unfinished line of the piece before, so that a pattern also matches a line that was
        written in parts.
        """
        with self._log.open("rb") as log:
            log.seek(self._place)
            while block := log.read(BLOCK_BYTES):
                self._place += len(block)
                text = self._unfinished + block
                self._unfinished = text[text.rfind(b"\n") + 1 :][-CARRIED_BYTES:]
                yield plain(text)


def end_of(log: Path) -> str:
    """The last `CARRIED_BYTES` of the log; empty when there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - CARRIED_BYTES))
            return plain(file.read(CARRIED_BYTES))
    except FileNotFoundError:
        return ""


def plain(text: bytes) -> str:
    return ESCAPES.sub("", text.decode(errors="replace"))
