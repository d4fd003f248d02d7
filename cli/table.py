"""Tables on standard output: as wide as the terminal, and never cut in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from agent.model.printable import printable

_NO_LIMIT = 10_000
"""Columns."""


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """On a narrow terminal cells wrap within their column."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else _NO_LIMIT)
    console.print(table)
