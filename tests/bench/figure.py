"""One line of the bench."""

from __future__ import annotations

import msgspec


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """`value` in `unit` ("×" for a ratio); `aim`: the largest value that is good enough, None where there is none."""

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
    def wanted(self) -> str:
        return "" if self.aim is None else f"≤ {self.aim:g} {self.unit}"
