"""The steps of a program that runs for minutes: it announces each in its output, by a line `== TITLE`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

_MARK = b"== "
_MAX_BYTES = 1 << 16
"""Of output that are read at a time; more waits for the next look."""

OpenStep = Callable[[str], AbstractContextManager[Any]]


@contextmanager
def announced_steps(log: Path, first: str, open_step: OpenStep) -> Iterator[Callable[[], None]]:
    """Gives a function that looks for new announcements: call it while the program runs.

    log: where the program's output goes. first: the step before the first announcement.
    """
    with ExitStack() as current, log.open("rb") as output:
        output.seek(0, 2)
        rest = b""
        current.enter_context(open_step(first))

        def look() -> None:
            nonlocal rest
            *lines, rest = (rest + output.read(_MAX_BYTES)).split(b"\n")
            for line in lines:
                if line.startswith(_MARK):
                    current.close()
                    current.enter_context(open_step(line.removeprefix(_MARK).decode(errors="replace")))

        try:
            yield look
        finally:
            look()
