"""A host without a medium boots over the network by iPXE, takes the address of its inputs, and registers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.lab import boot_server
from tests.vm.labs import Labs
from vm_harness.lab.lab import Lab
from vm_harness.machine.media import Medium

pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(3600)]

BOOT_SECONDS = 1500


def registers(lab: Lab, base_iso: Path) -> None:
    node = lab.node()
    node.crash()  # the lab has switched it on, before the boot server runs
    boot_server.create("pxe-files", lab.directories.inputs, base_iso)
    with boot_server.http(lab), boot_server.dhcp(lab):
        node.start()
        node.wait_for_console_text(f"cluster0: GET {boot_server.URL}/agent.x86_64-rootfs.img", timeout=BOOT_SECONDS)
        node.wait_for_console_text(r"cluster0: node0: this is node0", timeout=BOOT_SECONDS)
        node.wait_for_console_text(r"cluster0: node0: (registered|installing)", timeout=BOOT_SECONDS)
    node.wait_for_ssh()
    assert "cluster0.medium=network" in node.succeed("cat /proc/cmdline")
    assert node.succeed("findmnt --noheadings --output FSTYPE /run/cluster0/medium").strip() == "tmpfs"
    node.wait_for_unit("cluster0-node0.service")


def test_a_host_without_a_medium_registers_after_a_pxe_boot(labs: Labs, base_iso: Path) -> None:
    labs.run(lambda lab: registers(lab, base_iso), base_iso=base_iso, medium=Medium.NETWORK)
