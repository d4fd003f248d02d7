"""What a figure is: its definition, and the row that a run of the bench publishes for it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from tests.bench.computer import Run
from tests.bench.load import Load
from tests.bench.sampling import Measured, Pair

RATIO = "×"

T = TypeVar("T")
First = TypeVar("First")
Second = TypeVar("Second")


class Sample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One value. Of a ratio also its numerator and denominator, in the figure's `part_unit`. `load`: None where it does
    not matter, as for the size of a file."""

    value: float
    load: Load | None = None
    parts: tuple[float, float] | None = None


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The published samples of the figure `id`. `hosts`: what played the hosts; empty where there were none."""

    id: str
    samples: tuple[Sample, ...]
    run: Run
    hosts: str = ""

    @property
    def median(self) -> float:
        return statistics.median(sample.value for sample in self.samples)

    @property
    def lowest(self) -> float:
        return min(sample.value for sample in self.samples)

    @property
    def highest(self) -> float:
        return max(sample.value for sample in self.samples)

    @property
    def load(self) -> Load | None:
        """The highest of all samples."""
        loads = [sample.load for sample in self.samples if sample.load]
        return Load.highest(loads) if loads else None


class Samples(msgspec.Struct, frozen=True, kw_only=True):
    """What a measurement gives: the samples of the figure `id`, and what played the hosts."""

    id: str
    samples: tuple[Sample, ...]
    hosts: str = ""

    def published(self, run: Run) -> Row:
        return Row(id=self.id, samples=self.samples, hosts=self.hosts, run=run)


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A definition. `what`: how it is measured, in sentences. `goal`: the largest acceptable median, in `unit`; None if
    there is none. `parts`, `part_unit`: what a ratio's numerator and denominator are, and their unit."""

    id: str
    title: str
    unit: str
    what: str
    goal: float | None = None
    parts: tuple[str, str] | None = None
    part_unit: str = "s"

    def is_met(self, row: Row) -> bool:
        return self.goal is None or row.median <= self.goal

    def text(self, value: float) -> str:
        """`value` with the unit, in three significant digits: "1.56 ×", "489 MB"."""
        return f"{number(value)} {self.unit}"

    def ratio(
        self,
        pairs: Iterable[Pair[First, Second]],
        numerator: Callable[[First], float],
        denominator: Callable[[Second], float],
        hosts: str = "",
    ) -> Samples:
        parts = [(numerator(pair.first.value), denominator(pair.second.value), pair.load) for pair in pairs]
        samples = (Sample(value=upper / lower, parts=(upper, lower), load=load) for upper, lower, load in parts)
        return Samples(id=self.id, samples=tuple(samples), hosts=hosts)

    def fixed(self, values: Iterable[float], hosts: str = "") -> Samples:
        """Of values that no other process changes."""
        return Samples(id=self.id, samples=tuple(Sample(value=value) for value in values), hosts=hosts)

    def of(self, runs: Iterable[Measured[T]], value: Callable[[T], float], hosts: str = "") -> Samples:
        samples = tuple(Sample(value=value(run.value), load=run.load) for run in runs)
        return Samples(id=self.id, samples=samples, hosts=hosts)


def number(value: float) -> str:
    """Three significant digits, more where the integer part has more: "0.0312", "1.56", "489", "1204"."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"
