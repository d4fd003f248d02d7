"""What a guarded kind of thing can do, and the search for what is left of all of them."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, TypeVar

# What was told to end gets this long to do so, in seconds; only a test that is about to fail waits.
GRACE = 2.0

Key = TypeVar("Key", bound=Hashable)


class Kind(Protocol[Key]):
    """Things of one kind, each known by a key that no later thing has.

    `present` runs before and after each test and takes microseconds; the other methods run when something is left.
    """

    name: str
    ends: bool
    """Whether one that is left may still be about to end."""

    def present(self) -> frozenset[Key]: ...

    def describe(self, key: Key) -> str: ...

    def remove(self, key: Key) -> None:
        """End it where that is possible, so that the next test has nothing to do with it."""
        ...


Left = tuple[Kind[Any], Hashable]


class Snapshot:
    """What there is of each kind when a scope begins."""

    def __init__(self, kinds: Iterable[Kind[Any]]) -> None:
        self._before = [(kind, kind.present()) for kind in kinds]

    def left(self, named: AbstractSet[Left]) -> list[Left]:
        """What came since and does not go within `GRACE`, without what was `named` before."""
        deadline = time.monotonic() + GRACE
        while left := self._left_now(named):
            if time.monotonic() > deadline or not any(kind.ends for kind, _ in left):
                break
            time.sleep(0.01)
        return left

    def _left_now(self, named: AbstractSet[Left]) -> list[Left]:
        came = [(kind, key) for kind, before in self._before for key in kind.present() - before]
        return [item for item in came if item not in named]
