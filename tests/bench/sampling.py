"""Takes samples: the two parts of a ratio in turn, and what was disturbed once more.

A computer is not equally fast at all times. So the parts of a ratio follow each other, at least three times; the median
counts, and the spread shows how well it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from cli.progress import say, step
from tests.bench.load import Load

SAMPLES = 3
MOST_ATTEMPTS = 2
"""Attempts for each sample that is wanted, on average."""

T = TypeVar("T")
First = TypeVar("First")
Second = TypeVar("Second")


@dataclass(frozen=True)
class Measured(Generic[T]):
    """What one run gave, and the load beside it."""

    value: T
    load: Load


@dataclass(frozen=True)
class Pair(Generic[First, Second]):
    """Both parts of a ratio, one taken right after the other."""

    first: Measured[First]
    second: Measured[Second]

    @property
    def load(self) -> Load:
        return Load.highest((self.first.load, self.second.load))


class _Attempt(Protocol):
    @property
    def load(self) -> Load: ...


A = TypeVar("A", bound=_Attempt)


def alternate(
    first: Callable[[], Measured[First]], second: Callable[[], Measured[Second]], *, pairs: int = SAMPLES
) -> list[Pair[First, Second]]:
    """`first`, `second`, `first`, `second`, and so on; see `_least_disturbed`."""
    return _least_disturbed(lambda: Pair(first(), second()), pairs)


def repeat(work: Callable[[], Measured[T]], *, samples: int = SAMPLES) -> list[Measured[T]]:
    """`work` several times; see `_least_disturbed`."""
    return _least_disturbed(work, samples)


def _least_disturbed(attempt: Callable[[], A], wanted: int) -> list[A]:
    """`wanted` attempts, in the order in which they were made.

    Ends when so many are undisturbed, or after `MOST_ATTEMPTS` times as many in all; then disturbed ones are among
    them, those with the least load.
    """
    taken: list[A] = []
    while len(taken) < MOST_ATTEMPTS * wanted and sum(not one.load.is_disturbing for one in taken) < wanted:
        with step(f"sample {len(taken) + 1}") as running:
            taken.append(attempt())
            running.note = f"others: {describe(taken[-1].load)}"
        if taken[-1].load.is_disturbing:
            say("  disturbed by other processes: it is taken again while attempts are left")
    ranked = sorted(taken, key=lambda one: one.load.severity)[:wanted]
    return [one for one in taken if any(one is chosen for chosen in ranked)]


def describe(load: Load) -> str:
    """The load in words: "0.02 CPU, 0.3 MB/s"."""
    return f"{load.cpu:.2f} CPU, {load.disk / 1e6:.1f} MB/s"
