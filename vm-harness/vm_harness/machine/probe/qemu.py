"""QEMU as the probes start it: with the machine type and the CPU of the lab's machines."""

from __future__ import annotations

import os
from pathlib import Path

from vm_harness.machine import cpu
from vm_harness.machine.accel import Acceleration


def argv(qemu: Path, accelerator: Acceleration) -> list[str]:
    """All arguments but memory and media. QEMU ends when the process that started it ends (setpriv(1))."""
    return [
        "setpriv", "--pdeathsig", "KILL", os.fspath(qemu), "-accel", accelerator, "-machine", "q35",
        "-cpu", cpu.qemu_argument(cpu.choose(accelerator)), "-nodefaults", "-no-reboot", "-display", "none",
    ]  # fmt: skip
