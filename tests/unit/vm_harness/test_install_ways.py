"""Which install `make e2e` takes: the same one all day, each in turn, or the one that the user names."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.vm.install_ways import ENVIRONMENT, WAYS, Way, choose, names

MONDAY = date(2026, 11, 23)


def test_consecutive_days_take_every_way() -> None:
    days = (MONDAY + timedelta(days=number) for number in range(len(WAYS)))
    assert {choose({}, day)[0] for day in days} == set(WAYS)


def test_a_day_takes_one_way() -> None:
    assert choose({}, MONDAY) == choose({}, MONDAY)
    assert str(MONDAY) in choose({}, MONDAY)[1]


@pytest.mark.parametrize("way", WAYS, ids=names())
def test_a_way_is_taken_by_its_name(way: Way) -> None:
    assert choose({ENVIRONMENT: way.name}, MONDAY)[0] == way


def test_a_name_of_no_way_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(pytest.UsageError, match="no such way to install; there are bios, uefi"):
        choose({ENVIRONMENT: "floppy"}, MONDAY)
