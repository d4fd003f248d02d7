"""An ISO that is copied to a USB stick boots under UEFI; test_install.py installs from one under BIOS."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vm.labs import Labs
from vm_harness.lab.lab import Lab
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.media import Medium

pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(1800)]

BOOT_SECONDS = 900


def boots(lab: Lab) -> None:
    lab.node().wait_for_console_text("there is no cluster in it yet", timeout=BOOT_SECONDS)


@pytest.mark.parametrize("firmware", [Firmware.UEFI, Firmware.SECURE_BOOT])
def test_an_iso_on_a_usb_stick_boots(firmware: Firmware, labs: Labs, base_iso: Path) -> None:
    labs.run(boots, iso=base_iso, medium=Medium.USB, firmware=firmware)
    labs.take_down(labs.running[0])
