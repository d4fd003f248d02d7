"""The engine behind the state tables. The first row that fits decides: the order of rows is part of their meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

State = TypeVar("State", bound=StrEnum)
On = TypeVar("On", bound=StrEnum)
Case = TypeVar("Case")


def always(_case: object) -> bool:
    return True


@dataclass(frozen=True)
class Transition(Generic[State, On, Case]):
    """At one of the states `at`, event `on` leads to `to` when `when` holds.

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


def decide(rules: Iterable[Transition[State, On, Case]], *, on: On, at: State, case: Case) -> Outcome[State] | None:
    """Where event `on` leads from `at`; None: this state does not listen to it."""
    for rule in rules:
        if rule.on is on and at in rule.at and rule.when(case):
            return Outcome(rule.to, rule.why.format(case=case))
    return None
