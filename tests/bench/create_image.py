"""The time of `create image` against a plain copy of the base ISO, and the size of the ISO."""

from __future__ import annotations

import os
import shutil
import statistics
from collections.abc import Callable, Iterator

from tests.bench.figure import Figure
from tests.bench.sites import SNO, Bench, timed

RUNS = 5


def measure_create_image(bench: Bench) -> Iterator[Figure]:
    """Compares `create image` with a copy. Both write a new file and wait for the disk; their runs alternate."""
    site = bench.site("create-image", SNO)
    iso = site.inputs / "agent.x86_64.iso"
    copy = bench.directory / "copy.iso"
    bench.image(site)  # the first run also makes keys and fills caches

    ours, plain = [], []
    for _ in range(RUNS):
        iso.unlink()
        ours.append(_seconds(lambda: bench.image(site)))
        plain.append(_seconds(lambda: shutil.copyfile(bench.base_iso, copy)))
        copy.unlink()
    ours_median, plain_median = statistics.median(ours), statistics.median(plain)
    yield Figure(
        name="create image ÷ copying the ISO",
        value=ours_median / plain_median,
        unit="×",
        aim=1.2,
        costs=f"{ours_median:.2f} s against {plain_median:.2f} s",
        cut="a file system with reflinks copies nothing",
    )
    yield Figure(
        name="create image, our own work",
        value=max(0.0, ours_median - plain_median),
        unit="s",
        aim=1.0,
        costs="starting Python, pydantic, cryptography",
        cut="fewer imports",
    )


def _seconds(work: Callable[[], object]) -> float:
    os.sync()
    with timed() as seconds:
        work()
        os.sync()
    return seconds[0]


def measure_size(bench: Bench) -> Iterator[Figure]:
    yield Figure(
        name="base ISO",
        value=bench.base_iso.stat().st_size / 1e6,
        unit="MB",
        aim=700,
        costs="`cluster0 image build` prints the table of sizes",
        cut="the --release compression",
    )
