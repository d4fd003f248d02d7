"""The generated page about the API matches the table of operations."""

from __future__ import annotations

import pytest

from node0.rest.page import page
from tests.paths import REPOSITORY

PAGE = REPOSITORY / "docs/api.md"


def test_the_rest_reference_page_is_current(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--regenerate"):
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page())
    assert page() == PAGE.read_text(), f"{PAGE} is old: pytest --regenerate {__file__}"
