"""Medians, spreads and goals."""

from __future__ import annotations

import pytest

from tests.bench.figures import Row, number
from tests.bench.load import Load
from tests.bench.sampling import Measured, Pair
from tests.unit.bench.rows import BUSY, NEW, QUIET, RATIO_FIGURE, SIZE_FIGURE, ratio_row, size_row


def test_a_row_has_the_median_and_the_spread_of_its_samples() -> None:
    row = ratio_row((3, 1), (10, 5), (7, 1))
    assert (row.lowest, row.median, row.highest) == (2, 3, 7)


def test_the_median_meets_the_goal_or_misses_it() -> None:
    assert SIZE_FIGURE.is_met(size_row(500))
    assert not SIZE_FIGURE.is_met(size_row(500.5))


def test_a_ratio_keeps_its_parts_and_the_higher_load() -> None:
    pair = Pair(Measured(3.0, Load(cpu=0.02, disk=0)), Measured(2.0, Load(cpu=0.01, disk=7)))
    [sample] = RATIO_FIGURE.ratio([pair], float, float).samples
    assert (sample.value, sample.parts, sample.load) == (1.5, (3.0, 2.0), Load(cpu=0.02, disk=7))


def test_the_load_of_a_row_is_the_highest_of_its_samples() -> None:
    quiet, busy = ratio_row((1, 1), load=QUIET), ratio_row((1, 1), load=BUSY)
    both = Row(id="write", samples=(*quiet.samples, *busy.samples), run=NEW)
    assert both.load == Load(cpu=1.5, disk=40_000_000, cpu_pressure=0.25, io_pressure=0.5)


def test_a_size_has_no_load() -> None:
    assert size_row(489).load is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0312, "0.0312"), (1.555, "1.55"), (2, "2.00"), (63.24, "63.2"), (489.34, "489"), (1204, "1204")],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert number(value) == text
