"""Which validations a user can waive: they are judged and shown as before, and keep nothing from happening.

Not those without which an install has nothing to go by. Source of both lists: assisted-service.
"""

from __future__ import annotations

from collections.abc import Container

EVERY = "all"

HOST_NEVER = frozenset(
    {
        "connected",
        "has-inventory",
        "inventory-not-fully-truncated",
        "installation-disk",
        "machine-cidr-defined",
        "hostname-unique",
        "hostname-valid",
    }
)
CLUSTER_NEVER = frozenset(
    {
        "api-vips-defined",
        "ingress-vips-defined",
        "all-hosts-are-ready-to-install",
        "sufficient-masters-count",
        "pull-secret-set",
    }
)


class Waived:
    """The ids that were waived, as a set that `all` fills, but for those that never can be."""

    def __init__(self, ids: Container[str], never: Container[str]) -> None:
        self._ids = ids
        self._never = never

    def __contains__(self, id: object) -> bool:
        return id not in self._never and (id in self._ids or EVERY in self._ids)
