"""The list of measurements."""

from __future__ import annotations

import pytest

from agent.model.problems import Problem
from tests.bench.figures import RATIO
from tests.bench.measurements import FIGURES, MEASUREMENTS, chosen


def test_without_names_all_are_taken() -> None:
    assert chosen(()) == list(MEASUREMENTS)


def test_a_figure_brings_the_measurement_that_takes_it() -> None:
    [only] = chosen({"disk-write"})
    assert "ready" in {figure.id for figure in only.figures}


def test_an_unknown_figure_is_a_problem_that_names_the_known_ones() -> None:
    with pytest.raises(Problem) as raised:
        chosen({"disk-write", "no-such"})
    assert raised.value.code == "no-such-figure"
    assert "no-such" in raised.value.title
    assert "disk-write" in raised.value.remedy


def test_each_figure_has_an_id_of_its_own() -> None:
    ids = [figure.id for figure in FIGURES]
    assert len(ids) == len(set(ids))


def test_each_ratio_names_its_parts() -> None:
    assert [figure.id for figure in FIGURES if (figure.unit == RATIO) != (figure.parts is not None)] == []
