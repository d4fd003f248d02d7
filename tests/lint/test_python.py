"""Python: style, types, and imports that go one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

Lint = Callable[[Sequence[str]], None]


def test_ruff_check(lint: Lint) -> None:
    lint(["ruff", "check", "."])


def test_ruff_format(lint: Lint) -> None:
    lint(["ruff", "format", "--check", "."])


@pytest.mark.timeout(300)
def test_mypy_strict(lint: Lint) -> None:
    lint(["mypy"])


def test_floors(lint: Lint) -> None:
    lint(["lint-imports"])
