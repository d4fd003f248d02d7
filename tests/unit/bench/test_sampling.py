"""Parts of a ratio are taken in turn, and disturbed samples again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.bench.load import CPU_LIMIT, DISK_LIMIT, Load
from tests.bench.sampling import MOST_ATTEMPTS, Measured, alternate, repeat

QUIET = Load(cpu=0.01, disk=0)
BUSY = Load(cpu=2 * CPU_LIMIT, disk=0)
BUSIER = Load(cpu=0, disk=3 * DISK_LIMIT)


def _runs(*loads: Load) -> Callable[[], Measured[int]]:
    """Work that gives 1, 2, 3, … with these loads beside it."""
    numbered: Iterator[Measured[int]] = (Measured(number, load) for number, load in enumerate(loads, start=1))
    return lambda: next(numbered)


def test_the_parts_of_a_ratio_are_taken_in_turn() -> None:
    order = []

    def part(name: str) -> Measured[str]:
        order.append(name)
        return Measured(name, QUIET)

    alternate(lambda: part("ours"), lambda: part("plain"), pairs=3)
    assert order == ["ours", "plain"] * 3


def test_a_ratio_has_three_pairs_unless_more_are_wanted() -> None:
    assert len(alternate(_runs(*[QUIET] * 9), _runs(*[QUIET] * 9))) == 3
    assert len(alternate(_runs(*[QUIET] * 9), _runs(*[QUIET] * 9), pairs=5)) == 5


@pytest.mark.parametrize("load", [BUSY, BUSIER], ids=["CPU", "disk"])
def test_a_disturbed_sample_is_taken_again(load: Load) -> None:
    taken = repeat(_runs(QUIET, load, QUIET, QUIET), samples=3)
    assert [run.value for run in taken] == [1, 3, 4]


def test_a_pair_is_disturbed_when_one_of_its_parts_is() -> None:
    ours, plain = _runs(*[QUIET] * 4), _runs(QUIET, BUSY, QUIET, QUIET)
    pairs = alternate(ours, plain, pairs=3)
    assert [(pair.first.value, pair.second.value) for pair in pairs] == [(1, 1), (3, 3), (4, 4)]


def test_on_a_busy_computer_the_least_disturbed_samples_stay_and_say_so() -> None:
    taken = repeat(_runs(BUSIER, BUSY, QUIET, BUSIER, BUSIER, BUSY), samples=3)
    assert [(run.value, run.load) for run in taken] == [(2, BUSY), (3, QUIET), (6, BUSY)]
    assert [run.load.is_disturbing for run in taken] == [True, False, True]


def test_attempts_are_bounded() -> None:
    attempts = []

    def work() -> Measured[int]:
        attempts.append(BUSY)
        return Measured(len(attempts), BUSY)

    assert len(repeat(work, samples=3)) == 3
    assert len(attempts) == 3 * MOST_ATTEMPTS


def test_the_limits_themselves_do_not_disturb() -> None:
    assert not Load(cpu=CPU_LIMIT, disk=DISK_LIMIT).is_disturbing
