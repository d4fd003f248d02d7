"""What happens in generated histories: named functions of a history, which a falsifying example lists as calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st


@dataclass(frozen=True)
class Action:
    """`function(history, *arguments)`."""

    function: Callable[..., None]
    arguments: tuple[Any, ...]

    def __call__(self, history: Any) -> None:
        self.function(history, *self.arguments)

    def __repr__(self) -> str:
        return f"{self.function.__name__}({', '.join(map(_readable, self.arguments))})"


def _readable(argument: object) -> str:
    return argument.__name__ if callable(argument) and hasattr(argument, "__name__") else repr(argument)


def action(function: Callable[..., None], *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Action]:
    """`function` with arguments drawn from these strategies."""
    return st.builds(Action, st.just(function), st.tuples(*arguments))
