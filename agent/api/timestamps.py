"""Times in JSON: on the wire, in events and in recorded files."""

from __future__ import annotations

from datetime import UTC, datetime

UNSET_TIME = "0001-01-01T00:00:00.000Z"
"""A time that is not set: no time on the wire is null."""


def rfc3339(moment: datetime) -> str:
    """RFC 3339 with milliseconds and Z, as assisted-service writes times."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
