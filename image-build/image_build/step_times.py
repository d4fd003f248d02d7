"""How long the steps of builds took in former runs, so that a step can say how long it usually takes."""

from __future__ import annotations

import contextlib
import statistics
from pathlib import Path

import msgspec

from agent.machine.files import Files

FILE = "step-times.json"
MAX_BYTES = 1 << 16
MAX_STEPS = 64
"""Steps in the file; beyond it, the one that has not run for longest is removed."""
MAX_RUNS = 5
"""The last runs of a step that count."""


class StepTimes:
    """The times in `directory`/step-times.json: title to the seconds of the last runs, the newest last.

    Two runs that write at the same moment may lose a time. A damaged file counts as none, and is replaced.
    """

    def __init__(self, directory: Path) -> None:
        self._files = Files(directory)

    def usual(self, title: str) -> float | None:
        """The median in seconds; None: no former run."""
        seconds = self._all().get(title)
        return statistics.median(seconds) if seconds else None

    def add(self, title: str, seconds: float) -> None:
        times = self._all()
        times[title] = [*times.pop(title, []), round(seconds, 1)][-MAX_RUNS:]
        # An estimate for the next run is not worth a failure of this one.
        with contextlib.suppress(OSError):
            self._files.save(FILE, dict(list(times.items())[-MAX_STEPS:]))

    def _all(self) -> dict[str, list[float]]:
        try:
            with self._files.at(FILE).open("rb") as file:
                return msgspec.json.decode(file.read(MAX_BYTES), type=dict[str, list[float]])
        except (OSError, msgspec.DecodeError):
            return {}
