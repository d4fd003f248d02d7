"""`docs/figures.md`, from the definitions and the published rows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.bench.computer import Computer, Run
from tests.bench.figures import Figure, Row, Sample, number
from tests.bench.load import CPU_LIMIT, DISK_LIMIT, Load
from tests.bench.sampling import MOST_ATTEMPTS, describe

COLUMNS = 100
HEADER = ("figure", "median", "spread", "goal", "", "hosts", "others")

_HEAD = f"""\
# Figures

`make bench` measures these figures and writes this page; do not edit it. `make bench
ONLY=create-image,base-iso` takes some of them and keeps the rows of the others.
[tests/bench](../tests/bench/README.md) says how. Documents and release notes quote the medians.

- **spread**: the lowest and the highest sample.
- **×**: a ratio. Its two parts are taken in turn: first, second, first, second, and so on.
- **others**: what processes outside the bench used beside a sample, at most: CPUs, and megabytes a
  second of disks. Above {CPU_LIMIT:g} CPUs or {DISK_LIMIT / 1e6:g} MB/s a sample is **disturbed**, and another one is
  taken. The bench takes at most {MOST_ATTEMPTS} times as many samples as it publishes; then it also publishes
  disturbed ones.
- **waited**: the share of a sample's time in which some process waited for a CPU, and for a disk.
  The bench's own processes count, too.
- **run**: when and where, in the second table.
"""


def page(figures: Sequence[Figure], rows: Sequence[Row]) -> str:
    """Markdown. Each figure has a section, named by its id."""
    found, labels = {row.id: row for row in rows}, labelled(rows)
    lines = [_HEAD, *overview(figures, rows)]
    for figure in figures:
        lines += ["", f"## {figure.id}", "", *_section(figure, found.get(figure.id), labels)]
    return "\n".join(lines) + "\n"


def labelled(rows: Iterable[Row]) -> dict[Run, str]:
    """A number for each run of the bench, in the order of their dates."""
    runs = sorted({row.run for row in rows}, key=lambda run: (run.date, run.commit))
    return {run: str(place) for place, run in enumerate(runs, start=1)}


def overview(figures: Iterable[Figure], rows: Sequence[Row], *, address: str = "") -> Iterator[str]:
    """Two tables: the figures, each linked to its section of the page at `address`; and the runs."""
    found, labels = {row.id: row for row in rows}, labelled(rows)
    yield f"| {' | '.join(HEADER)} | run |"
    yield "|---" * (len(HEADER) + 1) + "|"
    for figure in figures:
        row = found.get(figure.id)
        name, *rest = cells(figure, row) if row else (figure.title, "not measured", "", goal(figure), "", "", "")
        yield f"| [{name}]({address}#{figure.id}) | {' | '.join(rest)} | {labels[row.run] if row else ''} |"
    yield from ("", "| run | date | commit | computer |", "|---|---|---|---|")
    for run, label in labels.items():
        yield f"| {label} | {run.date} | {_commit(run)} | {_computer(run.computer)} |"


def cells(figure: Figure, row: Row) -> tuple[str, ...]:
    """What `HEADER` names, in words."""
    met = "" if figure.goal is None else "met" if figure.is_met(row) else "**missed**"
    spread = f"{number(row.lowest)} to {number(row.highest)}" if len(row.samples) > 1 else ""
    return (figure.title, figure.text(row.median), spread, goal(figure), met, row.hosts, beside(row.load))


def goal(figure: Figure) -> str:
    return "" if figure.goal is None else f"≤ {figure.goal:g} {figure.unit}"


def beside(load: Load | None) -> str:
    if load is None:
        return ""
    return describe(load) + (", **disturbed**" if load.is_disturbing else "")


def _commit(run: Run) -> str:
    return f"`{run.commit}`" + ("" if run.is_clean else ", with changes that are not committed")


def _computer(computer: Computer) -> str:
    return (
        f"{computer.cpu}, {computer.cores} cores, {computer.memory:g} GiB, Linux {computer.kernel}, "
        f"{computer.file_system}"
    )


def _section(figure: Figure, row: Row | None, labels: Mapping[Run, str]) -> Iterator[str]:
    yield textwrap.fill(figure.what, COLUMNS, break_long_words=False, break_on_hyphens=False)
    yield ""
    if row is None:
        yield "Not measured yet."
        return
    parts = f" {figure.parts[0]} | {figure.parts[1]} |" if figure.parts else ""
    yield f"| run {labels[row.run]} | {figure.unit} |{parts} others | waited |"
    yield f"|---|---|{'---|---|' if figure.parts else ''}---|---|"
    for place, sample in enumerate(row.samples, start=1):
        yield f"| {place} | {number(sample.value)} | {_parts(figure, sample)}{_load(sample.load)} |"


def _parts(figure: Figure, sample: Sample) -> str:
    return "".join(f"{number(part)} {figure.part_unit} | " for part in sample.parts or ())


def _load(load: Load | None) -> str:
    waited = f"{_percent(load.cpu_pressure)}, {_percent(load.io_pressure)}" if load else ""
    return f"{beside(load)} | {waited}"


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"
