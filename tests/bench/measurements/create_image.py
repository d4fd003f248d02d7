"""The time of `create image` against a plain copy of the base ISO."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.figures import RATIO, Figure, Samples
from tests.bench.load import observed
from tests.bench.sampling import Measured, alternate
from tests.bench.sites import SNO, Bench

PAIRS = 5

CREATE_IMAGE = Figure(
    id="create-image",
    title="`create image` ÷ copying the ISO",
    unit=RATIO,
    goal=1.2,
    parts=("`create image`", "copy"),
    what="The wall time of `cluster0 create image` for one host, against that of a copy of the base ISO, byte by byte. "
    "Both write a new file, and wait until it is on the disk.",
)
FIGURES = (CREATE_IMAGE,)


def take(bench: Bench) -> Iterator[Samples]:
    with bench.site(SNO) as site:
        iso = bench.image(site)  # the first run also makes keys and fills caches
        copy = iso.with_name("copy.iso")
        pairs = alternate(
            lambda: _seconds(iso, lambda: bench.image(site)),
            lambda: _seconds(copy, lambda: shutil.copyfile(bench.base_iso, copy)),
            pairs=PAIRS,
        )
    yield CREATE_IMAGE.ratio(pairs, float, float)


def _seconds(result: Path, work: Callable[[], object]) -> Measured[float]:
    """Until what `work` writes to the new file `result` is on the disk. Removes the file."""
    result.unlink(missing_ok=True)
    os.sync()
    with observed() as stretch:
        work()
        with result.open("rb") as file:
            os.fsync(file.fileno())
    result.unlink()
    return Measured(stretch.seconds, stretch.load)
