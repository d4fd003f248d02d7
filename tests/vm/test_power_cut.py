"""A power cut at any moment: the next boot starts the install over or continues it, and it succeeds."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from vm_harness.guest.node import Node
from vm_harness.lab.lab import Lab

# Each of these is an install and a half, so only `make e2e-slow` runs them.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(7200)]

BOOT_SECONDS = 900
INSTALL_SECONDS = 3000
WRITING = r"cluster0: node0: installing: Writing image to disk"
# The bootstrap reports its progress to the service, not to the agent of its own host.
DURING_INIT = r"host node0: installing-in-progress: Waiting for bootkube \(\d+%, etcd\)"
AFTER_INIT = r"host node0: installing-in-progress: Waiting for controller"


def cut_power(lab: Lab, moment: str) -> Node:
    """Cut the power at `moment` (text on the console) and boot: from the ISO, not from the incomplete disk."""
    node = lab.node()
    node.wait_for_console_text(moment, timeout=INSTALL_SECONDS)
    node.crash()
    node.start()
    node.wait_for_ssh(timeout=BOOT_SECONDS)
    assert "cluster0.medium=LABEL=" in node.succeed("cat /proc/cmdline")
    return node


def test_an_install_starts_over_after_a_power_cut_before_the_disk_is_written(labs: Labs, base_iso: Path) -> None:
    def survive(lab: Lab) -> None:
        cut_power(lab, WRITING)
        assert_installed(lab, timeout=INSTALL_SECONDS)
        assert "cluster0.state=UUID=" in lab.node().succeed("cat /proc/cmdline")

    labs.run(survive, base_iso=base_iso)
    labs.take_down(labs.running[0])


@pytest.mark.parametrize(
    "moment", [pytest.param(DURING_INIT, id="during init"), pytest.param(AFTER_INIT, id="after init")]
)
def test_an_install_continues_after_a_power_cut_once_the_disk_is_written(
    moment: str, labs: Labs, base_iso: Path
) -> None:
    def survive(lab: Lab) -> None:
        node = cut_power(lab, moment)
        cut = time.time()
        node.wait_until_succeeds("mountpoint /run/cluster0/state", timeout=BOOT_SECONDS)
        assert_installed(lab, timeout=INSTALL_SECONDS)
        assert "cluster0.state=UUID=" in node.succeed("cat /proc/cmdline")
        initialised = float(node.succeed("sudo stat --format=%Y /var/lib/cluster0/kubeadm-init.done"))
        assert (initialised < cut) == (moment == AFTER_INIT)

    labs.run(survive, base_iso=base_iso)
    labs.take_down(labs.running[0])
