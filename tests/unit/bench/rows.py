"""Made-up figures and rows, for tests of the page and of what is published."""

from __future__ import annotations

from tests.bench.computer import Computer, Run
from tests.bench.figures import RATIO, Figure, Row, Sample
from tests.bench.load import Load

RATIO_FIGURE = Figure(
    id="write",
    title="write ÷ copy",
    unit=RATIO,
    goal=1.1,
    parts=("write", "copy"),
    what="A write, against a copy of the same bytes. Each of them waits for the disk at its end, so the page cache of "
    "the computer does not matter.",
)
SIZE_FIGURE = Figure(id="size", title="size", unit="MB", goal=500, what="The size of a file.")
LATER_FIGURE = Figure(id="later", title="a figure that no run has taken", unit="s", goal=5, what="How long it takes.")
FIGURES = (RATIO_FIGURE, SIZE_FIGURE, LATER_FIGURE)

COMPUTER = Computer(cpu="Example CPU", cores=2, memory=23.5, kernel="6.1.0-1-amd64", file_system="ext4")
OLD = Run(date="2026-01-02", commit="0123456789", is_clean=False, computer=COMPUTER)
NEW = Run(date="2026-03-04", commit="abcdef0123", is_clean=True, computer=COMPUTER)

QUIET = Load(cpu=0.011, disk=1_200_000, cpu_pressure=0.25, io_pressure=0.5)
BUSY = Load(cpu=1.5, disk=40_000_000)


def ratio_row(*pairs: tuple[float, float], run: Run = NEW, load: Load = QUIET) -> Row:
    samples = tuple(Sample(value=upper / lower, parts=(upper, lower), load=load) for upper, lower in pairs)
    return Row(id="write", samples=samples, run=run, hosts="VM, emulated")


def size_row(megabytes: float, run: Run = OLD) -> Row:
    return Row(id="size", samples=(Sample(value=megabytes),), run=run)
