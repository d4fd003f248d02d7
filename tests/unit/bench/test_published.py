"""Rows of this run replace those of earlier runs, and the others stay."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent.model.problems import Problem
from tests.bench.page import page
from tests.bench.published import PAGE, ROWS, merged, publish, published
from tests.unit.bench.rows import FIGURES, NEW, OLD, SIZE_FIGURE, ratio_row, size_row


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def test_a_row_that_this_run_did_not_take_keeps_its_date_and_commit() -> None:
    old = size_row(489, run=OLD)
    assert merged([old], [ratio_row((1, 1), run=NEW)], FIGURES) == (ratio_row((1, 1), run=NEW), old)


def test_a_new_row_replaces_the_old_one() -> None:
    assert merged([size_row(489, run=OLD)], [size_row(450, run=NEW)], FIGURES) == (size_row(450, run=NEW),)


def test_the_row_of_a_figure_that_is_no_more_is_dropped() -> None:
    assert merged([ratio_row((1, 1)), size_row(489)], [], [SIZE_FIGURE]) == (size_row(489),)


def test_what_is_published_is_read_again(checkout: Path) -> None:
    publish([size_row(489, run=OLD)], FIGURES, checkout)
    publish([ratio_row((3, 2))], FIGURES, checkout)
    rows = (ratio_row((3, 2)), size_row(489, run=OLD))
    assert published(checkout) == rows
    assert (checkout / PAGE).read_text() == page(FIGURES, rows)


def test_without_a_file_nothing_is_published(tmp_path: Path) -> None:
    assert published(tmp_path) == ()


def test_a_file_that_is_not_rows_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / ROWS).write_text('[{"id": "size"}]')
    with pytest.raises(Problem, match=r"docs/bench\.json"):
        published(tmp_path)


def test_documents_quote_the_new_median(checkout: Path) -> None:
    readme = checkout / "README.md"
    readme.write_text("The ISO has [489 MB](docs/figures.md#size), see [figures](docs/figures.md).\n")
    subprocess.run(["git", "-C", checkout, "add", "README.md"], check=True)
    publish([size_row(450)], FIGURES, checkout)
    assert readme.read_text() == "The ISO has [450 MB](docs/figures.md#size), see [figures](docs/figures.md).\n"
