"""Power may go at any moment: the next boot starts the install over, and it succeeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vm_harness.lab import Lab

# Each of these is an install and a half: `make e2e-slow` runs them.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(7200)]

BOOT = 900
INSTALL = 3000


def survive(lab: Lab, moment: str) -> None:
    node = lab.node()
    node.wait_for_console_text(moment, timeout=INSTALL)
    node.crash()
    node.start()
    # Nothing half-written is taken for good: the machine comes up from the ISO, not from the disk.
    node.wait_for_ssh(timeout=BOOT)
    assert "cluster0.medium=LABEL=" in node.succeed("cat /proc/cmdline")


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(r"cluster0: node0: installing: Writing image to disk", id="while the disk is written"),
        pytest.param(r"cluster0: node0: installing: Waiting for (control plane|bootkube)", id="during init"),
    ],
)
def test_a_power_cut_is_survived(moment: str, labs: Any, base_iso: Path) -> None:
    labs.run(lambda lab: survive(lab, moment), base_iso=base_iso)
    labs.see_installed(labs.up[0], timeout=INSTALL)
    assert "cluster0.state=UUID=" in labs.up[0].node().succeed("cat /proc/cmdline")
    labs.take_down(labs.up[0])
