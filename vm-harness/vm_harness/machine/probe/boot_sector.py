"""The quick probe: a boot sector that reaches 64-bit mode and then ends QEMU. It can only rule KVM out."""

from __future__ import annotations

import tempfile
from pathlib import Path

from agent.model.problems import Problem
from cli.command import Finished, run
from vm_harness.machine.accel import Acceleration, Verdict
from vm_harness.machine.probe.qemu import argv

DEADLINE_SECONDS = 5.0
"""A working KVM needs 0.2 s. A KVM that traps every instruction of real mode is slower than emulation."""

BOOT_SECTOR = bytes.fromhex(
    "fa31c08ed88ec08ed0bc007cbf0010b90018fcf3abc70600100320c70600200330c706003083000f0116787c66b8200000000f22e066b8001000000f22d8"
    "66b9800000c00f32660d000100000f3066b8010000800f22c0ea5c7c080066ba0105b02aeef4ebfd6690000000000000000000000000009a20000f00687c"
    "0000"
)
"""boot_sector.S, assembled."""
REACHED_LONG_MODE = 0x2A << 1 | 1


def boot(qemu: Path, accelerator: Acceleration = Acceleration.KVM) -> Verdict:
    """Boot `BOOT_SECTOR` within `DEADLINE_SECONDS`."""
    with tempfile.NamedTemporaryFile(suffix=".img") as disk:
        disk.write(BOOT_SECTOR.ljust(510, b"\0") + b"\x55\xaa")
        disk.truncate(1 << 20)
        try:
            ended = run(guest_argv(qemu, Path(disk.name), accelerator), timeout=DEADLINE_SECONDS, check=False)
        except Problem as problem:
            return Verdict(False, f"a boot sector does not run under {accelerator}: {problem.title}")
    if ended.exit_code != REACHED_LONG_MODE:
        return Verdict(False, f"a boot sector does not run under {accelerator}: {_how_it_ended(ended)}")
    return Verdict(True, f"a boot sector runs under {accelerator}")


def guest_argv(qemu: Path, disk: Path, accelerator: Acceleration) -> list[str]:
    return [
        *argv(qemu, accelerator), "-m", "64", "-device", "isa-debug-exit,iobase=0x501,iosize=1",
        "-drive", f"file={disk},format=raw,if=virtio", "-boot", "c",
    ]  # fmt: skip


def _how_it_ended(ended: Finished) -> str:
    lines = ended.stderr.strip().splitlines()
    return f"QEMU ended with {ended.exit_code}" + (f" ({lines[0]})" if lines else "")
