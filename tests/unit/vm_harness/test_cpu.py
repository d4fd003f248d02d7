"""Which CPU the guests see."""

from __future__ import annotations

from pathlib import Path

import pytest

from vm_harness.accel import Acceleration
from vm_harness.cpu import CpuModel, choose, version_of


@pytest.mark.parametrize(
    ("acceleration", "version", "model"),
    [
        (Acceleration.KVM, (7, 2), CpuModel("host-passthrough")),
        (Acceleration.EMULATION, (7, 2), CpuModel("maximum", ("cx16",))),
        (Acceleration.EMULATION, (10, 0), CpuModel("maximum")),
        (Acceleration.EMULATION, (0, 0), CpuModel("maximum", ("cx16",))),
    ],
)
def test_old_emulation_hides_cmpxchg16b(acceleration: Acceleration, version: tuple[int, int], model: CpuModel) -> None:
    assert choose(acceleration, version) == model


@pytest.mark.parametrize(
    ("said", "version"),
    [("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)", (7, 2)), ("something else", (0, 0))],
)
def test_the_version_is_read_from_what_qemu_says(said: str, version: tuple[int, int], tmp_path: Path) -> None:
    qemu = tmp_path / "qemu"
    qemu.write_text(f"#!/bin/sh\necho '{said}'\n")
    qemu.chmod(0o755)
    assert version_of(qemu) == version
