"""Ignored validations: the user decides that they block nothing. They are evaluated and shown as before.

An install cannot do without some, so those are never ignored. Source of both lists: assisted-service.
"""

from __future__ import annotations

from collections.abc import Container

ALL = "all"

HOST_NEVER_IGNORED = frozenset(
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
CLUSTER_NEVER_IGNORED = frozenset(
    {
        "api-vips-defined",
        "ingress-vips-defined",
        "all-hosts-are-ready-to-install",
        "sufficient-masters-count",
        "pull-secret-set",
    }
)


class IgnoredIds:
    """The ids that the user ignores, as a set. `all` stands for every id; `never` ignored ids are left out."""

    def __init__(self, ids: Container[str], never: Container[str]) -> None:
        self._ids = ids
        self._never = never

    def __contains__(self, id: object) -> bool:
        return id not in self._never and (id in self._ids or ALL in self._ids)
