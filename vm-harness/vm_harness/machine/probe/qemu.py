"""How the probes start QEMU: with the machine and the CPU that the lab's machines have."""

from __future__ import annotations

import os
from pathlib import Path

from vm_harness.machine import cpu
from vm_harness.machine.accel import Acceleration


def argv(qemu: Path, accelerator: Acceleration) -> list[str]:
    """All but memory and media. QEMU ends with the process that starts it, also when that is killed (setpriv(1))."""
    return [
        "setpriv", "--pdeathsig", "KILL", os.fspath(qemu), "-accel", accelerator, "-machine", "q35",
        "-cpu", cpu.qemu_argument(cpu.choose(accelerator)), "-nodefaults", "-no-reboot", "-display", "none",
    ]  # fmt: skip
