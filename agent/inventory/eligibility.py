"""Why a disk cannot be installed to, as far as the host knows; node0 adds its own reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.model.inventory import ISCSI, Eligibility


@dataclass(frozen=True)
class Usage:
    """What can speak against a disk. `network`: the kind of storage network that it is reached by; empty: none.
    `mounted`: mount points of it or of its partitions."""

    size: int
    is_medium: bool
    is_optical: bool
    is_removable: bool
    is_read_only: bool
    network: str
    holders: Sequence[str]
    mounted: Sequence[str]


REASONS: tuple[tuple[Callable[[Usage], bool], Callable[[Usage], str]], ...] = (
    (lambda disk: disk.is_medium, lambda disk: "it is the installation medium"),
    (lambda disk: disk.is_optical, lambda disk: "it is an optical drive"),
    (lambda disk: disk.size == 0, lambda disk: "its size is 0: no medium, or it does not answer"),
    (lambda disk: disk.is_removable, lambda disk: "it is removable"),
    (lambda disk: disk.is_read_only, lambda disk: "it is read-only"),
    (lambda disk: disk.network == ISCSI, lambda disk: "it is reached by iSCSI, and cannot be booted from"),
    (lambda disk: bool(disk.holders), lambda disk: f"it is in use by {', '.join(disk.holders)}"),
    (lambda disk: bool(disk.mounted), lambda disk: f"it is mounted at {', '.join(disk.mounted)}"),
)


def evaluate(disk: Usage) -> Eligibility:
    """All reasons, not the first."""
    reasons = tuple(reason(disk) for applies, reason in REASONS if applies(disk))
    return Eligibility(eligible=not reasons, not_eligible_reasons=reasons)
