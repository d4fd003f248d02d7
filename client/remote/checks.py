"""The validations of node0 that fail."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from agent.api.clusters import Cluster
from agent.api.hosts import ValidationResult
from agent.model.states import ValidationStatus
from client.remote.hosts import host_name

_BAD = frozenset({ValidationStatus.FAILURE, ValidationStatus.ERROR})

Checks = dict[tuple[str, str], ValidationResult]


def failing_checks(cluster: Cluster) -> Checks:
    """(host's name, validation's id) → verdict; the cluster's own are under an empty name. Pending ones do not fail."""
    found = {("", verdict.id): verdict for verdict in _verdicts(cluster.validations_info)}
    for host in cluster.hosts:
        found |= {(host_name(host), verdict.id): verdict for verdict in _verdicts(host.validations_info)}
    return {key: verdict for key, verdict in found.items() if verdict.status in _BAD}


def check_words(key: tuple[str, str], verdict: ValidationResult) -> str:
    """`alpha: has-min-memory: 2 GiB … → Add memory.`"""
    words = ": ".join(filter(None, (*key, verdict.message)))
    return f"{words} → {verdict.remedy}" if verdict.remedy else words


def _verdicts(validations_info: str) -> Iterator[ValidationResult]:
    categories = msgspec.json.decode(validations_info, type=dict[str, list[ValidationResult]])
    return (verdict for verdicts in categories.values() for verdict in verdicts)
