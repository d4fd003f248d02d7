"""Power may go at any moment: the next boot starts the install over, or goes on with it, and it succeeds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.vm.installed import see_installed
from vm_harness.guest.node import Node
from vm_harness.lab.lab import Lab

# Each of these is an install and a half: `make e2e-slow` runs them.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(7200)]

BOOT = 900
INSTALL = 3000
WRITING = r"cluster0: node0: installing: Writing image to disk"
# The bootstrap tells the service, not its own host's agent, how far it is.
DURING_INIT = r"host node0: installing-in-progress: Waiting for bootkube \(\d+%, etcd\)"
AFTER_INIT = r"host node0: installing-in-progress: Waiting for controller"


def cut_power(lab: Lab, moment: str) -> Node:
    """Nothing half-written is taken for good: the machine comes up from the ISO, not from the disk."""
    node = lab.node()
    node.wait_for_console_text(moment, timeout=INSTALL)
    node.crash()
    node.start()
    node.wait_for_ssh(timeout=BOOT)
    assert "cluster0.medium=LABEL=" in node.succeed("cat /proc/cmdline")
    return node


def test_before_the_disk_is_written_the_install_starts_over(labs: Any, base_iso: Path) -> None:
    def survive(lab: Lab) -> None:
        cut_power(lab, WRITING)
        see_installed(lab, timeout=INSTALL)
        assert "cluster0.state=UUID=" in lab.node().succeed("cat /proc/cmdline")

    labs.run(survive, base_iso=base_iso)
    labs.take_down(labs.up[0])


@pytest.mark.parametrize(
    "moment", [pytest.param(DURING_INIT, id="during init"), pytest.param(AFTER_INIT, id="after init")]
)
def test_once_it_is_written_the_install_goes_on(moment: str, labs: Any, base_iso: Path) -> None:
    def survive(lab: Lab) -> None:
        node = cut_power(lab, moment)
        cut = time.time()
        node.wait_until_succeeds("mountpoint /run/cluster0/state", timeout=BOOT)
        see_installed(lab, timeout=INSTALL)
        assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
        initialised = float(node.succeed("sudo stat --format=%Y /var/lib/cluster0/kubeadm-init.done"))
        assert (initialised < cut) == (moment == AFTER_INIT)

    labs.run(survive, base_iso=base_iso)
    labs.take_down(labs.up[0])
