"""Documents with single values changed, removed or added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Changes = Mapping[str, Any]
"""Path with dots (`hosts.0.role`) → the new value; None removes the field."""


def changed(document: Any, changes: Changes) -> Any:
    for path, value in changes.items():
        *steps, last = path.split(".")
        place = document
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
        if value is None:
            place.pop(last)
        else:
            place[int(last) if isinstance(place, list) else last] = value
    return document
