"""Parts that the views of hosts and of clusters share."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from agent.api.hosts import ValidationResult
from agent.api.timestamps import UNSET_TIME, rfc3339
from node0.store.records import Evaluated


def timestamp(moment: datetime | None) -> str:
    return rfc3339(moment) if moment else UNSET_TIME


def validations_info(evaluated: Iterable[Evaluated]) -> str:
    """JSON: category → results, sorted by id."""
    categories: dict[str, list[ValidationResult]] = {}
    for item in sorted(evaluated, key=lambda item: item.result.id):
        categories.setdefault(item.category, []).append(item.result)
    return msgspec.json.encode(categories).decode()
