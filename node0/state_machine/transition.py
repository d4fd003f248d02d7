"""The engine of the state tables. The first row whose condition holds decides, so the order of rows matters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from agent.model.bounds import shortened

# In characters: it quotes all validations that fail, and they quote what hosts report.
LONGEST_WHY = 8000

State = TypeVar("State", bound=StrEnum)
On = TypeVar("On", bound=StrEnum)
Case = TypeVar("Case")


def always(_case: object) -> bool:
    return True


@dataclass(frozen=True)
class Transition(Generic[State, On, Case]):
    """In any of the states `at`, event `on` leads to state `to` if condition `when` is true.

    why: the sentence shown as `status_info`; `{case.…}` is filled from the case.
    """

    on: On
    at: frozenset[State]
    to: State
    why: str
    when: Callable[[Case], bool] = always


@dataclass(frozen=True)
class Outcome(Generic[State]):
    to: State
    why: str


def decide(
    transitions: Iterable[Transition[State, On, Case]], *, on: On, at: State, case: Case
) -> Outcome[State] | None:
    """Where event `on` leads from `at`; None: this state has no transition for it."""
    for row in transitions:
        if row.on is on and at in row.at and row.when(case):
            return Outcome(row.to, shortened(row.why.format(case=case), LONGEST_WHY))
    return None
