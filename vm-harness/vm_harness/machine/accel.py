"""KVM or emulation: what the user requests, what a probe found, and the decision."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum

import msgspec

from agent.model.problems import Problem

ENVIRONMENT = "CLUSTER0_ACCEL"
"""Environment variable for programs without `--accel`: `make demo`, `make e2e`, `make bench`."""


class Acceleration(StrEnum):
    """How a machine's instructions run: QEMU's names, and `NATIVE` for containers.

    Emulation is slower and needs another CPU model.
    """

    KVM = "kvm"
    EMULATION = "tcg"
    NATIVE = "native"

    @property
    def is_emulation(self) -> bool:
        return self is Acceleration.EMULATION


class AccelMode(StrEnum):
    """What the user requests. `AUTO`: KVM where it works, else emulation."""

    AUTO = "auto"
    KVM = "kvm"
    EMULATION = "tcg"

    @classmethod
    def of_environment(cls) -> AccelMode:
        """The value of `CLUSTER0_ACCEL`, by default `AUTO`. Raises `Problem` (`accel-unknown`)."""
        requested = os.environ.get(ENVIRONMENT) or cls.AUTO
        try:
            return cls(requested)
        except ValueError:
            raise Problem(
                code="accel-unknown", title=f"{ENVIRONMENT} is {requested!r}", remedy=f"It is one of {', '.join(cls)}."
            ) from None


class Verdict(msgspec.Struct, frozen=True):
    """Whether KVM boots a guest. `reason`: words for people that follow "because"."""

    kvm_works: bool
    reason: str


def decide(accel_mode: AccelMode, probe: Callable[[], Verdict]) -> tuple[Acceleration, str]:
    """The acceleration and the reason to show; `probe` is called only where its result matters.

    Raises `Problem` (`kvm-unusable`) when KVM is requested and does not work.
    """
    if accel_mode is AccelMode.EMULATION:
        return Acceleration.EMULATION, "it is requested"
    verdict = probe()
    if accel_mode is AccelMode.KVM and not verdict.kvm_works:
        raise Problem(
            code="kvm-unusable", title=f"KVM is requested, but {verdict.reason}",
            remedy="Use --accel tcg: slower, works everywhere.",
        )  # fmt: skip
    return Acceleration.KVM if verdict.kvm_works else Acceleration.EMULATION, verdict.reason
