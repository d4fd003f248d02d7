"""A pytest plugin: a test fails if it leaves anything behind, or blocks an event loop of the product.

Each scope of fixtures (test, module, session) is checked for itself: what a module's fixture starts must have ended
when the module ends, and no test is blamed for it. A leak is reported once, and removed where that is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.guard.blocking_calls import BlockingCalls
from tests.guard.leak_check import Leak, LeakCheck, Snapshot
from tests.guard.mounts import Mounts
from tests.guard.network_namespaces import NetworkNamespaces, hide_those_of_others
from tests.guard.processes import Processes
from tests.guard.reaper import fork_below_subreaper
from tests.guard.tasks import Tasks
from tests.guard.threads import Threads


def pytest_configure(config: pytest.Config) -> None:
    fork_below_subreaper()
    hide_those_of_others()


class Guard:
    """`checks`: in the order in which leaks are removed; processes come before the mounts that they use."""

    def __init__(self, *checks: LeakCheck[Any]) -> None:
        self._checks = checks
        self._reported: set[Leak] = set()

    def scope(self) -> Iterator[None]:
        """The body of a fixture: fails at the end of its scope if there are leaks."""
        before = Snapshot(self._checks)
        yield
        leaks = before.leaks(self._reported)
        if not leaks:
            return
        self._reported.update(leaks)
        lines = "\n".join(f"{check.name}: {check.describe(key)}".rstrip() for check, key in leaks)
        for check, key in leaks:
            check.remove(key)
        pytest.fail(f"left behind:\n{lines}", pytrace=False)


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
