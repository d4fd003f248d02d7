"""Which CPU a guest sees.

Under KVM: the host's own. Under emulation: an old, plain model, with what modern programs gain by. A guest that sees
AVX and XSAVE uses them, and emulating them costs it half as much again from power on to login.
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

# Intel's, because Linux takes the time stamp counter for its clock there; of two processors of another make it thinks
# that their counters differ, and asks the emulated HPET: a trap each time anybody wants to know the time.
# An Atom, because it does not speculate: for any other of Intel's, Linux changes page tables at every system call.
# Without cx16, because Debian 13's kernel dies at a cmpxchg16b under QEMU 7.2's multi-threaded emulation.
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
    """The same for QEMU's `-cpu`, where no libvirt is asked."""
    if model is HOST:
        return "host"
    added = "".join(f",+{feature}" for feature in model.added)
    return model.name + added + "".join(f",-{feature}" for feature in model.hidden)
