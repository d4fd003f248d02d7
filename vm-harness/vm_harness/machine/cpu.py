"""Which CPU a guest sees.

Under KVM: the host's own. Under emulation: an old model without AVX and XSAVE, with those features added that programs
gain from. A guest that sees AVX and XSAVE uses them, and emulating them makes its boot half as long again.
"""

from __future__ import annotations

import msgspec

from vm_harness.machine.accel import Acceleration


class CpuModel(msgspec.Struct, frozen=True, kw_only=True):
    """libvirt's CPU mode, the model's name for mode `custom`, and features to add or to hide (libvirt's names)."""

    mode: str
    name: str = ""
    added: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


HOST = CpuModel(mode="host-passthrough")

# Intel: Linux then uses the time stamp counter as its clock. With several CPUs of another vendor it assumes that their
# counters differ and reads the emulated HPET instead, a trap each time a program reads the clock.
# Atom: it does not speculate. For other Intel CPUs, Linux switches page tables at every system call (Meltdown).
# No cx16: Debian 13's kernel dies at a cmpxchg16b under QEMU 7.2's multi-threaded emulation.
EMULATED = CpuModel(
    mode="custom",
    name="n270",
    added=("lm", "nx", "syscall", "lahf_lm", "sse4.1", "sse4.2", "popcnt", "aes", "pclmuldq", "rdrand"),
    hidden=("cx16",),
)


def choose(acceleration: Acceleration) -> CpuModel:
    """The model for the guests."""
    return EMULATED if acceleration.is_emulation else HOST


def qemu_argument(model: CpuModel) -> str:
    """The model as the argument of QEMU's `-cpu`, for a QEMU that is started without libvirt."""
    if model is HOST:
        return "host"
    added = "".join(f",+{feature}" for feature in model.added)
    return model.name + added + "".join(f",-{feature}" for feature in model.hidden)
