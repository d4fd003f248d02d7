"""`cluster0 lab swarm` in a checkout: simulated hosts and the real service. Prints a table on standard output."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.table import Table

from tests.bench.swarm import installs


def main() -> int:
    parser = argparse.ArgumentParser(prog="cluster0 lab swarm", description=__doc__)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--installs", type=int, default=1)
    arguments = parser.parse_args()
    table = Table("what", "measured", "aim")
    for figure in installs(arguments.hosts, arguments.installs):
        table.add_row(figure.name, figure.measured, figure.limit, style="" if figure.is_met else "bold red")
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
