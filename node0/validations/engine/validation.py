"""What a validation is: a question with an id, and a pure function from the facts to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Generic, TypeVar

from agent.api.hosts import Validation
from agent.model.states import ValidationStatus
from node0.store.host_diff import HostDiff, any_changes
from node0.store.records import HostRecord, Judged

Facts = TypeVar("Facts")


class Category(StrEnum):
    """Where clients show it. `USER` is our addition."""

    NETWORK = "network"
    HARDWARE = "hardware"
    HOSTS_DATA = "hosts-data"
    CONFIGURATION = "configuration"
    USER = "user"


class Gate(StrEnum):
    """What a validation that does not hold keeps from happening; the order is the one in which they are asked."""

    CONNECTION = "connection"
    HARDWARE = "hardware"
    INPUT = "input"
    SUFFICIENT = "sufficient"
    SHOWN = "shown"


# Verdicts: some hundred are said of many hosts, ten a host are its own. What is long is a host's own.
REMEMBERED = 2048
REMEMBERED_LENGTH = 500

HOLDS = frozenset({ValidationStatus.SUCCESS, ValidationStatus.DISABLED})


@dataclass(frozen=True)
class Verdict:
    """`message` names the values, `remedy` says what to do about a failure."""

    status: ValidationStatus
    message: str
    remedy: str = ""


def success(message: str) -> Verdict:
    return Verdict(ValidationStatus.SUCCESS, message)


def failure(message: str, remedy: str) -> Verdict:
    return Verdict(ValidationStatus.FAILURE, message, remedy)


def pending(message: str) -> Verdict:
    return Verdict(ValidationStatus.PENDING, message)


def error(message: str, remedy: str) -> Verdict:
    """The question could not be answered, and waiting does not help."""
    return Verdict(ValidationStatus.ERROR, message, remedy)


def always(_facts: object) -> bool:
    return True


def nothing(_facts: object) -> str:
    return ""


@dataclass(frozen=True)
class Rule(Generic[Facts]):
    """One validation. Where `applies` is false it is not shown and keeps nothing from happening.

    `when`: `applies` in words. `waits_for`: what `check` needs and is not there yet, in words; empty: nothing.
    looks_at: what of each host a validation of the cluster looks at; `applies` looks at no host.
    """

    id: str
    category: Category
    gate: Gate
    check: Callable[[Facts], Verdict]
    applies: Callable[[Facts], bool] = always
    when: str = ""
    waits_for: Callable[[Facts], str] = nothing
    looks_at: Callable[[HostRecord], object] = nothing

    def verdict(self, facts: Facts) -> Verdict:
        """Ask only where `applies` holds."""
        if missing := self.waits_for(facts):
            return pending(f"Waiting for {missing}.")
        return self.check(facts)


def judge(rules: Iterable[Rule[Facts]], facts: Facts) -> tuple[Judged, ...]:
    """The verdicts of the rules that apply."""
    return tuple(_judged(rule, rule.verdict(facts)) for rule in rules if rule.applies(facts))


def judge_again(
    rules: Iterable[Rule[Facts]], facts: Facts, before: Iterable[Judged], moved: Collection[HostDiff]
) -> tuple[Judged, ...]:
    """As `judge`, where nothing but the hosts that `moved` is different from when `before` was judged: what no rule
    looks at of them changes no verdict."""
    kept = {item.validation.id: item for item in before}
    return tuple(
        _judged(rule, rule.verdict(facts))
        if rule.id not in kept or any_changes(moved, rule.looks_at)
        else kept[rule.id]
        for rule in rules
        if rule.applies(facts)
    )


def _judged(rule: Rule[Facts], verdict: Verdict) -> Judged:
    is_short = len(verdict.message) + len(verdict.remedy) <= REMEMBERED_LENGTH
    said: Callable[..., Judged] = _said if is_short else _said.__wrapped__
    return said(rule.category, rule.gate, rule.id, verdict.status, verdict.message, verdict.remedy)


@lru_cache(maxsize=REMEMBERED)
def _said(category: str, gate: str, id: str, status: ValidationStatus, message: str, remedy: str) -> Judged:
    """One object for all hosts of which the same is said: of most checks it is the same words."""
    validation = Validation(id=id, status=status, message=message, remedy=remedy)
    return Judged(category=category, gate=gate, validation=validation)


def failing(judged: Iterable[Judged], waived: Container[str] = ()) -> dict[Gate, tuple[str, ...]]:
    """Messages and remedies of the verdicts that do not hold and were not waived, by gate."""
    found: dict[Gate, tuple[str, ...]] = {}
    for item in judged:
        validation = item.validation
        if validation.status not in HOLDS and validation.id not in waived:
            gate = Gate(item.gate)
            found[gate] = (*found.get(gate, ()), f"{validation.message} {validation.remedy}".strip())
    return found
