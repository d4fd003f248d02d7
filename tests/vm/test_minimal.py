"""A minimal ISO, without the root image: the host refuses a damaged image by name, and boots an intact one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.lab import boot_server
from tests.vm.labs import Labs
from vm_harness.lab.cluster import keys, made_up
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab

pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(3600)]

BOOT_SECONDS = 1500


def change_a_byte(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))


def refuses_then_registers(lab: Lab) -> None:
    node = lab.node()
    root_image = lab.directories.inputs / "boot-artifacts/agent.x86_64-rootfs.img"
    change_a_byte(root_image)
    with boot_server.http(lab):
        node.wait_for_console_text(r"live/rootfs.img.*hash verification failed", timeout=BOOT_SECONDS)
        node.wait_for_console_text(r"cluster0: this host cannot start", timeout=BOOT_SECONDS)
        node.crash()
        change_a_byte(root_image)
        node.start()
        node.wait_for_console_text(r"cluster0: node0: this is node0", timeout=BOOT_SECONDS)
        node.wait_for_console_text(r"cluster0: node0: (registered|installing)", timeout=BOOT_SECONDS)
    node.wait_for_ssh()
    assert node.succeed("findmnt --noheadings --output FSTYPE /run/cluster0/medium").strip() == "tmpfs"


def test_a_host_with_a_minimal_iso_refuses_a_damaged_root_image_and_registers_with_an_intact_one(
    labs: Labs, base_iso: Path
) -> None:
    directories = labs.directories()
    directories.make()
    keys.ensure(directories)
    made_up.write(directories.inputs, TOPOLOGIES["sno"], keys.public_key(directories))
    boot_server.create("image", directories.inputs, base_iso, "--minimal")
    labs.run(refuses_then_registers, base_iso=base_iso)
