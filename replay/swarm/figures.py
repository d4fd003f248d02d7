"""What a swarm measures, and its table."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from cli.table import print_table


class SwarmFigure(msgspec.Struct, frozen=True, kw_only=True):
    """`value` in `unit`; `aim`: the largest acceptable value, None if there is none."""

    name: str
    value: float
    unit: str
    aim: float | None = None


def show(figures: Iterable[SwarmFigure]) -> None:
    """A table on standard output."""
    print_table(
        ("WHAT", "MEASURED", "AIM"), [(found.name, f"{found.value:.2f} {found.unit}", _aim(found)) for found in figures]
    )


def _aim(figure: SwarmFigure) -> str:
    if figure.aim is None:
        return ""
    return f"≤ {figure.aim:g} {figure.unit}{'' if figure.value <= figure.aim else ', missed'}"
