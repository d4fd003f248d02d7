"""KVM or emulation: what the user asks for, what a probe found, and which of the two it is to be."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum

import msgspec

from agent.model.problems import Problem

ENVIRONMENT = "CLUSTER0_ACCEL"
"""For programs that have no `--accel`: `make demo`, `make e2e`, `make bench`."""


class Acceleration(StrEnum):
    """QEMU's names. Emulation takes more time and needs other CPU models."""

    KVM = "kvm"
    EMULATION = "tcg"

    @property
    def is_emulation(self) -> bool:
        return self is Acceleration.EMULATION


class AccelMode(StrEnum):
    """What the user asks for. `AUTO`: KVM where it works, else emulation."""

    AUTO = "auto"
    KVM = "kvm"
    EMULATION = "tcg"

    @classmethod
    def of_environment(cls) -> AccelMode:
        """What `CLUSTER0_ACCEL` says, by default `AUTO`. Raises `Problem` (`accel-unknown`)."""
        asked = os.environ.get(ENVIRONMENT) or cls.AUTO
        try:
            return cls(asked)
        except ValueError:
            raise Problem(
                code="accel-unknown", title=f"{ENVIRONMENT} is {asked!r}", remedy=f"It is one of {', '.join(cls)}."
            ) from None


class Verdict(msgspec.Struct, frozen=True):
    """Whether KVM boots a guest, and how we know."""

    kvm_works: bool
    reason: str


def decide(accel_mode: AccelMode, probe: Callable[[], Verdict]) -> tuple[Acceleration, str]:
    """The acceleration and the reason to show; `probe` is called only where its answer matters.

    Raises `Problem` (`kvm-unusable`) when KVM was asked for and does not work.
    """
    if accel_mode is AccelMode.EMULATION:
        return Acceleration.EMULATION, "KVM is not to be used"
    verdict = probe()
    if accel_mode is AccelMode.KVM and not verdict.kvm_works:
        raise Problem(
            code="kvm-unusable", title=f"KVM was asked for, but {verdict.reason}",
            remedy="Use --accel tcg: slower, works everywhere.",
        )  # fmt: skip
    return Acceleration.KVM if verdict.kvm_works else Acceleration.EMULATION, verdict.reason
