"""node0's validations of a recorded machine, apart from those that a record cannot answer."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from agent.model.states import ValidationStatus
from node0.store.records import Evaluated, HostRecord
from node0.validations import HOST_VALIDATIONS
from node0.validations.engine.evaluation import HOLDS
from node0.validations.engine.validation import Gate

_LIVE = "Only a host that runs can answer it."
_OTHERS = "The other hosts' reports answer it."

BEYOND_A_RECORD = {
    "connected": _LIVE,
    "media-connected": _LIVE,
    "time-synced-between-host-and-service": _LIVE,
    "hostname-unique": _OTHERS,
    "machine-id-unique": _OTHERS,
    "product-uuid-unique": _OTHERS,
    "reverse-path-valid": _OTHERS,
    "no-ip-collisions-in-network": _OTHERS,
}
"""Validations that hold, or wait, while nothing is known → why a record does not show whether they hold."""


class JudgedCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A validation. `blocks`: it fails, and no install starts until it holds; a failure that does not is only shown."""

    id: str
    category: str
    status: ValidationStatus
    blocks: bool
    message: str
    remedy: str = ""


class NotEvaluated(msgspec.Struct, frozen=True, kw_only=True):
    """A validation that the record does not answer, and why."""

    id: str
    why: str


def judged_checks(host: HostRecord) -> tuple[JudgedCheck, ...]:
    """In node0's order."""
    return tuple(_judged(item) for item in host.validations if not _why_not_evaluated(item))


def not_evaluated(host: HostRecord) -> tuple[NotEvaluated, ...]:
    return tuple(_not_evaluated(host))


def _not_evaluated(host: HostRecord) -> Iterator[NotEvaluated]:
    found = {item.result.id: item for item in host.validations}
    for validation in HOST_VALIDATIONS:
        item = found.get(validation.id)
        why = _why_not_evaluated(item) if item else f"It applies where {validation.when}."
        if why:
            yield NotEvaluated(id=validation.id, why=why)


def _why_not_evaluated(item: Evaluated) -> str:
    result = item.result
    is_pending = result.status is ValidationStatus.PENDING
    if is_pending or result.status in HOLDS:
        return BEYOND_A_RECORD.get(result.id, result.message if is_pending else "")
    return ""


def _judged(item: Evaluated) -> JudgedCheck:
    result = item.result
    return JudgedCheck(
        id=result.id,
        category=item.category,
        status=result.status,
        blocks=result.status not in HOLDS and item.gate != Gate.SHOWN,
        message=result.message,
        remedy=result.remedy,
    )
