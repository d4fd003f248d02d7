"""`make bench`: measures the figures of docs/figures.md, publishes them, and prints them as a table."""

from __future__ import annotations

import compileall
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from cli.failures import explained
from cli.interruption import ended_like_ctrl_c
from cli.progress import step
from cli.table import print_table
from tests.bench.computer import Run
from tests.bench.figures import Row
from tests.bench.measurements import FIGURES, Measurement, chosen
from tests.bench.page import HEADER, cells
from tests.bench.published import publish
from tests.bench.sites import Bench
from tests.guard.reaper import fork_below_subreaper
from tests.paths import REPOSITORY
from vm_harness.lab.request import MachineKind


@click.command()
@click.argument("figures", nargs=-1)
@click.option("--list", "is_listing", is_flag=True, help="Print the figures, and end.")
@click.option(
    "--machines", type=click.Choice([kind.value for kind in MachineKind]), default="container", show_default=True,
    help="What plays the hosts of whole installs.",
)  # fmt: skip
@click.pass_context
def bench(context: click.Context, figures: tuple[str, ...], is_listing: bool, machines: str) -> None:
    """Measure FIGURES (separated by commas or blanks; default: all), publish them, and print them.

    \b
    Examples:
      python -m tests.bench create-image,base-iso
      python -m tests.bench --machines vm ready
    """
    if is_listing:
        print_table(("FIGURE", "WHAT"), [(figure.id, figure.title) for figure in FIGURES])
        return
    with explained(context):
        measurements = chosen({id for word in figures for id in word.split(",") if id})
        fork_below_subreaper()
        with ended_like_ctrl_c():
            _show(run(measurements, MachineKind(machines)))


def run(measurements: Sequence[Measurement], machines: MachineKind) -> list[Row]:
    """Publishes after each measurement, so that what was taken stays when a later one fails."""
    rows: list[Row] = []
    _compile_modules()
    with tempfile.TemporaryDirectory(prefix="cluster0-bench-", dir="/var/tmp") as name:
        directory = Path(name)
        bench, this = Bench(directory, machines), Run.now(directory)
        for measurement in measurements:
            with step(", ".join(figure.id for figure in measurement.figures)):
                taken = [samples.published(this) for samples in measurement.take(bench)]
            publish(taken, FIGURES)
            rows += taken
    return rows


def _compile_modules() -> None:
    """As the install of a wheel does. Python would compile those of a checkout when they are first used, or, with
    PYTHONDONTWRITEBYTECODE, at each start."""
    compileall.compile_dir(REPOSITORY, quiet=2, rx=re.compile(r"/\.|/tests/"))


def _show(rows: Sequence[Row]) -> None:
    found = {row.id: row for row in rows}
    shown = [cells(figure, found[figure.id]) for figure in FIGURES if figure.id in found]
    print_table(HEADER, [[_plain(cell) for cell in line] for line in shown])


def _plain(markdown: str) -> str:
    return markdown.replace("*", "").replace("`", "")


if __name__ == "__main__":
    bench(prog_name="python -m tests.bench")
