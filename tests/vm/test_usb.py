"""The ISO written to a USB stick, byte by byte, starts a machine: by BIOS and by UEFI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vm_harness.lab.lab import Lab
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium

pytestmark = [pytest.mark.vm, pytest.mark.timeout(1800)]

BOOT = 900


def boots(lab: Lab) -> None:
    lab.node().wait_for_console_text("there is no cluster in it yet", timeout=BOOT)


@pytest.mark.parametrize("firmware", Firmware)
def test_a_stick_boots(firmware: Firmware, labs: Any, base_iso: Path) -> None:
    labs.run(boots, iso=base_iso, medium=Medium.USB, firmware=firmware)
    labs.take_down(labs.up[0])
