"""The generated pages in `docs/` say what the tables say now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from node0.lifecycle import page as states
from node0.validations import page as validations

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize(
    ("name", "page"), [("states.md", states.page), ("validations.md", validations.page)], ids=["states", "validations"]
)
def test_it_is_current(name: str, page: Callable[[], str], request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--regenerate"):
        DOCS.mkdir(exist_ok=True)
        (DOCS / name).write_text(page())
    assert page() == (DOCS / name).read_text(), f"docs/{name} is old: pytest --regenerate {__file__}"
