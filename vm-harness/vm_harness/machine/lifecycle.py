"""Power states of a machine as libvirt reports them, and which of them are failures.

The numbers are libvirt's: virDomainState, virDomainPausedReason, virDomainShutoffReason
(https://libvirt.org/html/libvirt-libvirt-domain.html). They are repeated here because a computer
that replays a recorded lab may have no libvirt.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import msgspec

from agent.model.problems import Problem
from vm_harness.machine.accel import Acceleration


class State(IntEnum):
    NO_STATE = 0
    RUNNING = 1
    PAUSED = 3
    SHUTOFF = 5
    CRASHED = 6


class Paused(IntEnum):
    """Why a machine is paused. `UNKNOWN`: QEMU has stopped it by itself, for example after a KVM error."""

    UNKNOWN = 0
    USER = 1
    IO_ERROR = 5
    WATCHDOG = 6
    CRASHED = 10


class Shutoff(IntEnum):
    """Why a machine is off. `UNKNOWN`: it was never on. `CRASHED`: QEMU has ended without a request."""

    UNKNOWN = 0
    SHUTDOWN = 1
    DESTROYED = 2
    CRASHED = 3
    FAILED = 6


class PowerState(msgspec.Struct, frozen=True):
    """`state` and `reason` as virDomainGetState returns them; `qemu`: QEMU's status of a pause of its own."""

    state: int
    reason: int
    qemu: str = ""

    @property
    def is_on(self) -> bool:
        """Also while it is paused."""
        return self.state not in (State.NO_STATE, State.SHUTOFF, State.CRASHED)


class Failure(msgspec.Struct, frozen=True):
    """Why a machine does not run. `reason`: words that follow the machine's name.

    `blames_kvm`: under KVM, this failure means that KVM does not work. `is_requested`: a failure only before the
    machine's kernel has started.
    """

    code: str
    reason: str
    blames_kvm: bool = False
    is_requested: bool = False


_PAUSED, _CRASHED = "machine-paused", "machine-crashed"
_GUEST_CRASHED = Failure(_CRASHED, "its guest has crashed")
FAILURES: Mapping[tuple[int, int], Failure] = {
    (State.PAUSED, Paused.UNKNOWN): Failure(_PAUSED, "QEMU has paused it by itself", blames_kvm=True),
    (State.PAUSED, Paused.USER): Failure(
        _PAUSED, "it was paused on request before its kernel started", is_requested=True
    ),
    (State.PAUSED, Paused.IO_ERROR): Failure(
        _PAUSED, "this computer cannot read or write its disk or medium (I/O error)"
    ),
    (State.PAUSED, Paused.WATCHDOG): Failure(_PAUSED, "its watchdog has paused it"),
    (State.PAUSED, Paused.CRASHED): _GUEST_CRASHED,
    (State.SHUTOFF, Shutoff.CRASHED): Failure(_CRASHED, "QEMU has ended without a request", blames_kvm=True),
    (State.SHUTOFF, Shutoff.FAILED): Failure(_CRASHED, "QEMU has failed to start"),
    (State.CRASHED, 0): _GUEST_CRASHED,
    (State.CRASHED, 1): _GUEST_CRASHED,
}
"""(state, reason) → failure. All other pairs are requested by a user or by the guest, or they pass."""
OFF_BEFORE_KERNEL = Failure("machine-off", "it is off, and its kernel has printed no line")

REQUESTED: Mapping[tuple[int, int], str] = {
    (State.PAUSED, Paused.USER): "is paused on request; resume it with `virsh -c {uri} resume {name}`",
    (State.SHUTOFF, Shutoff.SHUTDOWN): "has switched itself off",
    (State.SHUTOFF, Shutoff.DESTROYED): "was switched off on request",
}
"""No failures, but shown to users who follow an install. `{uri}`: of libvirtd; `{name}`: of the machine."""


class MachineFailed(Problem):
    """A machine has stopped, or never started, without a request.

    Codes: those of `FAILURES`, `machine-not-started`, `machine-off`, `machine-silent`, `guest-kernel-panic`. `guest`:
    digest of its kernel and initramfs; empty when not known.
    """

    def __init__(
        self, machine: str, acceleration: Acceleration, guest: str, failure: Failure, *, detail: str, remedy: str
    ) -> None:
        super().__init__(code=failure.code, title=f"{machine}: {failure.reason}", detail=detail, remedy=remedy)
        self.guest = guest
        self.blames_kvm = failure.blames_kvm and not acceleration.is_emulation
