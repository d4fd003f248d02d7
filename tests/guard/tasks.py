"""Finds asyncio tasks that still run when an `asyncio.Runner` closes its loop, a test's or the product's."""

from __future__ import annotations

import asyncio
import asyncio.runners
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest


@dataclass(frozen=True, eq=False)
class LeftTask:
    name: str
    stack: str


class Tasks:
    """A runner cancels the tasks that are left; this records them before."""

    name = "asyncio task"
    may_still_end = False

    def __init__(self) -> None:
        self._found: frozenset[LeftTask] = frozenset()

    @contextmanager
    def watching(self) -> Iterator[None]:
        cancel_all = asyncio.runners._cancel_all_tasks  # type: ignore[attr-defined]

        def record_and_cancel(loop: asyncio.AbstractEventLoop) -> None:
            self._found |= {LeftTask(task.get_name(), _stack(task)) for task in asyncio.all_tasks(loop)}
            cancel_all(loop)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio.runners, "_cancel_all_tasks", record_and_cancel)
            yield

    def present(self) -> frozenset[LeftTask]:
        return self._found

    def describe(self, key: LeftTask) -> str:
        return f"{key.name}\n{key.stack}"

    def remove(self, key: LeftTask) -> None:
        """The runner has cancelled it."""


def _stack(task: asyncio.Task[object]) -> str:
    text = io.StringIO()
    task.print_stack(file=text)
    return text.getvalue()
