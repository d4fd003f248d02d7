"""What every test gets: `--regenerate` for golden files, and a check that nothing is left over when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import psutil
import pytest

from tests.paths import DATA

GOLDEN = DATA / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate", action="store_true", help="write golden files anew instead of comparing; review the diff"
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


@pytest.fixture(autouse=True)
def _no_child_left() -> Iterator[None]:
    """Processes that a test started are gone when it ends; those of longer fixtures were there before."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert not left, f"left running: {[child.cmdline() for child in left]}"


@pytest.fixture
async def settled() -> AsyncIterator[None]:
    """No task of the test's loop is left when it ends."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not left, f"left running: {[task.get_name() for task in left]}"
