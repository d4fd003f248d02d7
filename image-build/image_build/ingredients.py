"""The directories of files that go into images unchanged: in the checkout, or next to this package once installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_INSTALLED = Path(__file__).parent / "share"
_CHECKOUT = Path(__file__).parents[2]


def ingredients(path: str) -> Path:
    """The directory that is `path` in a checkout; pyproject.toml copies those into the wheel."""
    return (_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT) / path


def package_directory(name: str) -> Path:
    """The directory of an installed package."""
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None, f"{name} is installed"
    return Path(spec.origin).parent
