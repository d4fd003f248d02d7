"""A program of its own: a cable that loses frames, holds them back, or drops long ones; a direction each as it likes.

In user space, because the kernel of a CI machine may have no netem (tc-netem(8)).
usage: python -m vm_harness.network.bad_cable HOST-TAP LINK-TAP PID-FILE SETTINGS, a JSON object with the fields of
`Settings`. Returns when both ends are open; a daemon serves them.
"""

from __future__ import annotations

import heapq
import itertools
import os
import random
import select
import sys
import time
from pathlib import Path

import msgspec

from vm_harness.network.tap import MAX_FRAME_BYTES, became_daemon, open_tap

ETHERNET_HEADER = 14
MAX_HELD = 10_000
"""Frames that are held back at the same time; more are lost, as in a switch."""


class Settings(msgspec.Struct, frozen=True):
    """`loss_from`, `loss_to`: probability that a frame from, or to, the host is lost. `delay`: seconds each way.

    `longest`: bytes of a frame without its Ethernet header; longer ones are lost; 0: no limit. `seed`: of the losses.
    """

    loss_from: float = 0
    loss_to: float = 0
    delay: float = 0
    longest: int = 0
    seed: int = 1


class Cable:
    """The frames on their way. Times are of the monotonic clock."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._random = random.Random(settings.seed)
        self._held: list[tuple[float, int, bytes, bool]] = []
        self._numbers = itertools.count()

    def take(self, frame: bytes, *, from_host: bool, now: float) -> None:
        settings = self._settings
        if settings.longest and len(frame) > settings.longest + ETHERNET_HEADER:
            return
        loss = settings.loss_from if from_host else settings.loss_to
        if self._random.random() < loss or len(self._held) >= MAX_HELD:
            return
        heapq.heappush(self._held, (now + settings.delay, next(self._numbers), frame, from_host))

    def due(self, now: float) -> list[tuple[bytes, bool]]:
        """Frames to pass on now, in their order; True: they come from the host."""
        frames = []
        while self._held and self._held[0][0] <= now:
            _, _, frame, from_host = heapq.heappop(self._held)
            frames.append((frame, from_host))
        return frames

    def seconds_to_next(self, now: float) -> float | None:
        return max(0.0, self._held[0][0] - now) if self._held else None


def serve(cable: Cable, host: int, link: int) -> None:
    """Never returns."""
    while True:
        ready, _, _ = select.select([host, link], [], [], cable.seconds_to_next(time.monotonic()))
        for end in ready:
            cable.take(os.read(end, MAX_FRAME_BYTES), from_host=end == host, now=time.monotonic())
        for frame, from_host in cable.due(time.monotonic()):
            os.write(link if from_host else host, frame)


def main(host: str, link: str, pid_file: Path, settings: Settings) -> None:
    ends = open_tap(host), open_tap(link)
    if became_daemon(pid_file):
        serve(Cable(settings), *ends)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), msgspec.json.decode(sys.argv[4], type=Settings))
