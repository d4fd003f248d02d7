"""Under UEFI a host boots the ISO, becomes node0 and registers with itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vm.labs import Labs
from vm_harness.lab.lab import Lab
from vm_harness.machine.firmware import Firmware

pytestmark = [pytest.mark.vm, pytest.mark.timeout(1800)]

BOOT_SECONDS = 900


def registers(lab: Lab) -> None:
    node = lab.node()
    node.wait_for_console_text(r"cluster0: node0: this is node0", timeout=BOOT_SECONDS)
    node.wait_for_console_text(r"cluster0: node0: (registered|installing)", timeout=BOOT_SECONDS)
    node.wait_for_ssh()
    node.succeed("test -d /sys/firmware/efi")
    node.wait_for_unit("cluster0-node0.service")


def test_a_host_registers_after_an_uefi_boot(labs: Labs, base_iso: Path) -> None:
    labs.run(registers, base_iso=base_iso, firmware=Firmware.UEFI)
