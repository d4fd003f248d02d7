"""Under UEFI a host boots the ISO, becomes node0 and registers with itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vm_harness.lab.lab import Lab
from vm_harness.machine.firmware import Firmware

pytestmark = [pytest.mark.vm, pytest.mark.timeout(1800)]

BOOT = 900


def registers(lab: Lab) -> None:
    node = lab.node()
    node.wait_for_console_text(r"cluster0: node0: this is node0", timeout=BOOT)
    node.wait_for_console_text(r"cluster0: node0: (registered|installing)", timeout=BOOT)
    node.wait_for_ssh()
    node.succeed("test -d /sys/firmware/efi")
    node.wait_for_unit("cluster0-node0.service")


def test_it_boots_to_registration(labs: Any, base_iso: Path) -> None:
    labs.run(registers, base_iso=base_iso, firmware=Firmware.UEFI)
