"""Labels that a client asks for on a host's node: Kubernetes' own syntax, for it would refuse the node's others too."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent.api.hosts import NodeLabel
from node0.refusals import BadRequest

_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KEY = re.compile(rf"([a-z0-9]([-a-z0-9.]{{0,251}}[a-z0-9])?/)?{_NAME}")
_VALUE = re.compile(rf"({_NAME})?")


def checked(asked: Iterable[NodeLabel]) -> dict[str, str]:
    """Raises `BadRequest` for what is no label."""
    for label in asked:
        if not _KEY.fullmatch(label.key) or not _VALUE.fullmatch(label.value):
            raise BadRequest(
                code="label-invalid",
                title=f"{label.key}={label.value} is not a label of Kubernetes.",
                remedy="Write a key like rack or example.com/rack, and at most 63 letters, digits, - _ and . as value.",
            )
    return {label.key: label.value for label in asked}
