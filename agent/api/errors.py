"""The two bodies that every refusal of the REST API has."""

from __future__ import annotations

import msgspec


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """assisted-service's `error`, for every status but 401 and 403. `problem` is our addition: the stable code."""

    code: str
    reason: str
    id: int
    kind: str = "Error"
    href: str = ""
    problem: str = ""


class InfraErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """assisted-service's `infra_error`, for 401 and 403. `problem` is our addition: the stable code."""

    code: int
    message: str
    problem: str = ""
