"""`python -m tests.bench.swarm`: a thousand simulated hosts, or `--hosts N`; `--installs N` small installs in a row.

Prints a table on standard output. A thousand hosts take about two minutes on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.figure import Figure
from tests.bench.swarm.run import install


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--installs", type=int, default=1)
    arguments = parser.parse_args()
    figures: list[Figure] = []
    for _ in range(arguments.installs):
        with tempfile.TemporaryDirectory(prefix="cluster0-swarm-") as directory:
            figures = asyncio.run(install(Path(directory), arguments.hosts))
    table = Table("what", "measured", "aim", title=f"{arguments.hosts} hosts, {arguments.installs} installs")
    for figure in figures:
        table.add_row(figure.name, figure.measured, figure.wanted, style="" if figure.is_met else "bold red")
    Console(width=100).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
