"""The page of the figures: its form, and that it is current."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bench.figures import Row
from tests.bench.measurements import FIGURES
from tests.bench.page import page
from tests.bench.published import PAGE, published
from tests.bench.quotes import documents, outdated, quotable
from tests.paths import REPOSITORY
from tests.unit.bench import rows


def test_the_page_has_each_figure_with_its_samples(golden: Callable[[str, str], None]) -> None:
    quiet = rows.ratio_row((1.2, 1.0), (3.6, 3.0), (2.0, 1.0))
    busy = rows.ratio_row((2.5, 1.0), load=rows.BUSY)
    row = Row(id="write", samples=(*quiet.samples, *busy.samples), run=rows.NEW, hosts="container")
    golden("bench/figures.md", page(rows.FIGURES, [row, rows.size_row(489)]))


def test_the_published_page_is_current(request: pytest.FixtureRequest) -> None:
    """After a change of a definition or of the form; `make bench` writes it by itself."""
    current = page(FIGURES, published())
    if request.config.getoption("--regenerate"):
        (REPOSITORY / PAGE).write_text(current)
    assert current == (REPOSITORY / PAGE).read_text(), f"{PAGE} is old: pytest --regenerate {__file__}"


@pytest.mark.parametrize("name", documents(REPOSITORY))
def test_each_quote_is_the_published_median(name: str) -> None:
    assert list(outdated((REPOSITORY / name).read_text(), quotable(FIGURES, published()))) == []


@pytest.mark.parametrize(
    "text", ["[490 MB](docs/figures.md#size)", "[489 MB](../figures.md#later)", "[489 MB](figures.md#no-such-figure)"]
)
def test_a_quote_that_differs_is_found(text: str) -> None:
    known = quotable(rows.FIGURES, [rows.size_row(489)])
    assert len(list(outdated(f"It has {text}, see [489 MB](docs/figures.md#size).", known))) == 1
