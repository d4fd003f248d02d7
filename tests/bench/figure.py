"""The figures of the bench, and their table."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from rich.console import Console
from rich.table import Table


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """`value` in `unit` ("×" for a ratio); `aim`: the largest acceptable value; None if there is none."""

    name: str
    value: float
    unit: str
    aim: float | None = None
    costs: str = ""
    cut: str = ""

    @property
    def is_met(self) -> bool:
        return self.aim is None or self.value <= self.aim

    @property
    def measured(self) -> str:
        return f"{self.value:.2f} {self.unit}"

    @property
    def limit(self) -> str:
        return "" if self.aim is None else f"≤ {self.aim:g} {self.unit}"


def show(figures: Iterable[Figure]) -> None:
    """A table on standard output; figures that miss their aim are red."""
    table = Table("what", "measured", "aim", "what it costs", "what would cut it", title="cluster0 bench")
    for figure in figures:
        style = "" if figure.is_met else "bold red"
        table.add_row(figure.name, figure.measured, figure.limit, figure.costs, figure.cut, style=style)
    Console(width=160).print(table)
