"""The interface of a check for leaks of one kind, and a snapshot with which leaks are found."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, TypeVar

# Things that were requested to end get this long to do so. Only a test that is about to fail waits.
GRACE_SECONDS = 10.0

Key = TypeVar("Key", bound=Hashable)


class LeakCheck(Protocol[Key]):
    """Finds what tests leave behind of one kind: threads, mounts, ... A key identifies a thing and is never used again.

    `present` runs before and after each test, so it takes microseconds; the other methods run only after a leak.
    """

    name: str
    """The kind, as the failure shows it: "thread"."""
    may_still_end: bool
    """Whether a leaked thing may end by itself within `GRACE_SECONDS`."""

    def present(self) -> frozenset[Key]: ...

    def describe(self, key: Key) -> str: ...

    def remove(self, key: Key) -> None:
        """End it where that is possible, so that it does not disturb the next test."""
        ...


Leak = tuple[LeakCheck[Any], Hashable]


class Snapshot:
    """What is present when a scope of fixtures begins."""

    def __init__(self, checks: Iterable[LeakCheck[Any]]) -> None:
        self._before = [(check, check.present()) for check in checks]

    def leaks(self, reported: AbstractSet[Leak]) -> list[Leak]:
        """What was added since and does not end within `GRACE_SECONDS`, without what was `reported` before."""
        deadline = time.monotonic() + GRACE_SECONDS
        while leaks := self._leaks_now(reported):
            if time.monotonic() > deadline or not any(check.may_still_end for check, _ in leaks):
                break
            time.sleep(0.01)
        return leaks

    def _leaks_now(self, reported: AbstractSet[Leak]) -> list[Leak]:
        added = [(check, key) for check, before in self._before for key in check.present() - before]
        return [leak for leak in added if leak not in reported]
