"""The generated pages in `docs/` match the tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from node0.state_machine import page as states
from node0.validations import page as validations
from tests.paths import REPOSITORY

DOCS = REPOSITORY / "docs"


@pytest.mark.parametrize(
    ("name", "page"), [("states.md", states.page), ("validations.md", validations.page)], ids=["states", "validations"]
)
def test_each_generated_page_is_current(name: str, page: Callable[[], str], request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--regenerate"):
        DOCS.mkdir(exist_ok=True)
        (DOCS / name).write_text(page())
    assert page() == (DOCS / name).read_text(), f"docs/{name} is old: pytest --regenerate {__file__}"
