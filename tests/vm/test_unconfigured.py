"""A base ISO that no cluster was put into boots, says what to do, and leaves a disk full of somebody's data alone."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from vm_harness.lab.lab import Lab
from vm_harness.machine.media import content_digest

pytestmark = [pytest.mark.vm, pytest.mark.timeout(1800)]

BOOT = 900
FOREIGN = "somebodys-data"


def put_foreign_data_on(disk: Path) -> str:
    """A file system with a journal, which anybody who mounts it will change. Returns the disk's digest."""
    subprocess.run(["mkfs.ext4", "-q", "-F", "-L", FOREIGN, disk, "1G"], check=True)
    return content_digest(disk)


def test_it_says_what_to_do_and_touches_no_disk(labs: Any, base_iso: Path) -> None:
    def story(lab: Lab) -> tuple[str, str]:
        node = lab.node()
        node.crash()
        before = put_foreign_data_on(node.disks[0])
        node.start()
        node.wait_for_console_text("there is no cluster in it yet", timeout=BOOT)
        node.wait_for_console_text(r"cluster0 create image +--dir DIR", timeout=BOOT)
        node.wait_for_console_text(r"login: *$", timeout=BOOT)
        node.crash()
        return before, content_digest(node.disks[0])

    before, after = labs.run(story, iso=base_iso)
    assert before == after
