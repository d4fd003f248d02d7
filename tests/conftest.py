"""What every test gets: `--regenerate` for golden files, the guard that nothing is left, and the rule for skips."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.paths import DATA

pytest_plugins = ["tests.guard.plugin", "tests.guard.skips"]

GOLDEN = DATA / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate", action="store_true", help="write golden files again instead of comparing; review the diff"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: `text` is what `tests/data/golden/<name>` says."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--regenerate"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert text == path.read_text(), f"{path} differs; if that is right: pytest --regenerate"

    return compare
