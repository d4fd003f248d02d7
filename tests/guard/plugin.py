"""pytest's side of the guard: no test leaves anything behind, and none blocks an event loop of the product.

A scope of fixtures answers for what came while it lasted: what a module's fixture started is no test's, and has to be
gone when the module ends. What is left is named once and removed where that is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.guard.blocking_calls import BlockingCalls
from tests.guard.kinds import Kind, Left, Snapshot
from tests.guard.mounts import Mounts
from tests.guard.network_namespaces import NetworkNamespaces
from tests.guard.processes import Processes
from tests.guard.reaper import go_below_a_reaper
from tests.guard.tasks import Tasks
from tests.guard.threads import Threads


def pytest_configure(config: pytest.Config) -> None:
    go_below_a_reaper()


class Guard:
    """`kinds` in the order in which things are removed: what a process holds goes after the process."""

    def __init__(self, *kinds: Kind[Any]) -> None:
        self._kinds = kinds
        self._named: set[Left] = set()

    def scope(self) -> Iterator[None]:
        before = Snapshot(self._kinds)
        yield
        left = before.left(self._named)
        if not left:
            return
        self._named.update(left)
        said = "\n".join(f"{kind.name}: {kind.describe(key)}".rstrip() for kind, key in left)
        for kind, key in left:
            kind.remove(key)
        pytest.fail(f"left behind:\n{said}", pytrace=False)


@pytest.fixture(scope="session")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guard]:
    with ExitStack() as stack:
        tasks, calls, mounts = Tasks(), BlockingCalls(), Mounts(tmp_path_factory.getbasetemp())
        stack.callback(mounts.close)
        stack.enter_context(tasks.watching())
        stack.enter_context(calls.watching())
        yield Guard(calls, tasks, Processes(), Threads(), mounts, NetworkNamespaces())


@pytest.fixture(scope="session", autouse=True)
def _session_leaves_nothing(guard: Guard) -> Iterator[None]:
    yield from guard.scope()


@pytest.fixture(scope="module", autouse=True)
def _module_leaves_nothing(guard: Guard) -> Iterator[None]:
    yield from guard.scope()


@pytest.fixture(autouse=True)
def _test_leaves_nothing(guard: Guard) -> Iterator[None]:
    yield from guard.scope()
