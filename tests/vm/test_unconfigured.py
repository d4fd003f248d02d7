"""A base ISO without a cluster boots, says what to do, and leaves a disk with foreign data alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.vm.labs import Labs
from vm_harness.lab.lab import Lab
from vm_harness.machine.media import content_digest

pytestmark = [pytest.mark.vm, pytest.mark.timeout(1800)]

BOOT_SECONDS = 900
FOREIGN = "foreign-data"


def put_foreign_data_on(disk: Path) -> str:
    """A file system with a journal, so that even a mount would change it. Returns the disk's digest."""
    subprocess.run(["mkfs.ext4", "-q", "-F", "-L", FOREIGN, disk, "1G"], check=True)
    return content_digest(disk)


def test_a_base_iso_without_a_cluster_says_what_to_do_and_writes_to_no_disk(labs: Labs, base_iso: Path) -> None:
    def boot_and_compare(lab: Lab) -> tuple[str, str]:
        node = lab.node()
        node.crash()
        before = put_foreign_data_on(node.disks[0])
        node.start()
        node.wait_for_console_text("there is no cluster in it yet", timeout=BOOT_SECONDS)
        node.wait_for_console_text(r"cluster0 create image +--dir DIR", timeout=BOOT_SECONDS)
        node.wait_for_console_text(r"login: *$", timeout=BOOT_SECONDS)
        node.crash()
        return before, content_digest(node.disks[0])

    before, after = labs.run(boot_and_compare, iso=base_iso)
    assert before == after
