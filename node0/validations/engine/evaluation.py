"""Evaluate validations: verdicts as they are stored and shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable
from functools import lru_cache

from agent.api.hosts import ValidationResult
from agent.model.states import ValidationStatus
from node0.store.host_diff import HostDiff, any_changes
from node0.store.records import Evaluated
from node0.validations.engine.validation import Facts, Gate, Validation, Verdict

# Some hundred verdicts apply to many hosts, ten a host are its own. A long verdict belongs to one host.
CACHED_VERDICTS = 2048
CACHED_LENGTH = 500

HOLDS = frozenset({ValidationStatus.SUCCESS, ValidationStatus.DISABLED})


def evaluate(validations: Iterable[Validation[Facts]], facts: Facts) -> tuple[Evaluated, ...]:
    """The verdicts of the validations that apply."""
    return tuple(_evaluated(item, item.verdict(facts)) for item in validations if item.applies(facts))


def reevaluate(
    validations: Iterable[Validation[Facts]], facts: Facts, before: Iterable[Evaluated], diffs: Collection[HostDiff]
) -> tuple[Evaluated, ...]:
    """As `evaluate`, where only the hosts in `diffs` differ from the facts of `before`.

    A validation keeps its verdict unless a part of a host that it depends on has changed.
    """
    kept = {item.result.id: item for item in before}
    return tuple(
        _evaluated(item, item.verdict(facts))
        if item.id not in kept or any_changes(diffs, item.depends_on)
        else kept[item.id]
        for item in validations
        if item.applies(facts)
    )


def is_concerned(
    validations: Iterable[Validation[Facts]], before: Iterable[Evaluated], diffs: Collection[HostDiff]
) -> bool:
    """Whether `reevaluate` would evaluate any of the validations in `before`."""
    kept = {item.result.id for item in before}
    return any(item.id in kept and any_changes(diffs, item.depends_on) for item in validations)


def _evaluated(validation: Validation[Facts], verdict: Verdict) -> Evaluated:
    is_short = len(verdict.message) + len(verdict.remedy) <= CACHED_LENGTH
    build: Callable[..., Evaluated] = _cached if is_short else _cached.__wrapped__
    return build(validation.category, validation.gate, validation.id, verdict.status, verdict.message, verdict.remedy)


@lru_cache(maxsize=CACHED_VERDICTS)
def _cached(category: str, gate: str, id: str, status: ValidationStatus, message: str, remedy: str) -> Evaluated:
    """One object for all hosts with the same verdict: most verdicts of a thousand hosts are the same."""
    result = ValidationResult(id=id, status=status, message=message, remedy=remedy)
    return Evaluated(category=category, gate=gate, result=result)


def failing(evaluated: Iterable[Evaluated], ignored: Container[str] = ()) -> dict[Gate, tuple[str, ...]]:
    """Messages and remedies of the validations that neither hold nor are `ignored`, by gate."""
    found: dict[Gate, tuple[str, ...]] = {}
    for item in evaluated:
        result = item.result
        if result.status not in HOLDS and result.id not in ignored:
            gate = Gate(item.gate)
            found[gate] = (*found.get(gate, ()), f"{result.message} {result.remedy}".strip())
    return found
