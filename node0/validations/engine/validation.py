"""What a validation is: a question with an id, and a pure function from the facts to a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, TypeVar

from agent.model.bounds import shortened
from agent.model.states import ValidationStatus
from node0.store.records import HostRecord

Facts = TypeVar("Facts")

# Of a message and of a remedy, in characters: verdicts quote what hosts report.
LONGEST = 4000


class Category(StrEnum):
    """The heading under which clients show it. `USER` is our addition."""

    NETWORK = "network"
    HARDWARE = "hardware"
    HOSTS_DATA = "hosts-data"
    CONFIGURATION = "configuration"
    USER = "user"


class Gate(StrEnum):
    """What a validation blocks while it does not hold, in the order in which the state tables check."""

    CONNECTION = "connection"
    HARDWARE = "hardware"
    INPUT = "input"
    SUFFICIENT = "sufficient"
    SHOWN = "shown"


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
    """The question has no answer, and waiting does not help."""
    return Verdict(ValidationStatus.ERROR, message, remedy)


def always(_facts: object) -> bool:
    return True


def nothing(_facts: object) -> str:
    return ""


@dataclass(frozen=True)
class Validation(Generic[Facts]):
    """One validation. Where `applies` is false it is not shown and blocks nothing.

    when: `applies` in words.
    waits_for: the input that `check` needs and that is not there yet, in words; empty: nothing is missing.
    depends_on: the part of each host that a validation of the cluster reads; its `applies` reads no host.
    """

    id: str
    category: Category
    gate: Gate
    check: Callable[[Facts], Verdict]
    applies: Callable[[Facts], bool] = always
    when: str = ""
    waits_for: Callable[[Facts], str] = nothing
    depends_on: Callable[[HostRecord], object] = nothing

    def verdict(self, facts: Facts) -> Verdict:
        """Only where `applies` holds."""
        if missing := self.waits_for(facts):
            return pending(f"Waiting for {missing}.")
        found = self.check(facts)
        if max(len(found.message), len(found.remedy)) <= LONGEST:
            return found
        return replace(found, message=shortened(found.message, LONGEST), remedy=shortened(found.remedy, LONGEST))
