"""A minimal ISO, without the root image: the host refuses a damaged image by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.lab import boot_server
from tests.vm.labs import Labs
from vm_harness.lab.lab import Lab

pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(3600)]

BOOT_SECONDS = 1500


def change_a_byte(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 1]))


def refuses(lab: Lab) -> None:
    change_a_byte(lab.directories.inputs / "boot-artifacts/agent.x86_64-rootfs.img")
    with boot_server.http(lab):
        lab.node().wait_for_console_text(r"live/rootfs.img.*hash verification failed", timeout=BOOT_SECONDS)
        lab.node().wait_for_console_text(r"cluster0: this host cannot start", timeout=BOOT_SECONDS)


def test_a_host_with_a_minimal_iso_refuses_a_damaged_root_image(labs: Labs, base_iso: Path) -> None:
    boot_server.make_minimal_iso(labs.directories(), base_iso)
    labs.run(refuses, base_iso=base_iso)
