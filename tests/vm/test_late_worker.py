"""A worker that comes an hour after the install. The hour is a turn of the clocks, which takes virtual machines."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lab.clusters import ready_nodes, wait_until_ready
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from tests.vm.pods import assert_pods_reach_each_other
from vm_harness.guest.node import Node
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab

# Two emulated machines, one after the other.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(5400)]

INSTALL_SECONDS = 3600
WORKER = "node1"


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    work = partial(assert_installed, timeout=INSTALL_SECONDS, nodes="control-plane")
    left_off = frozenset({WORKER})
    return labs.run(work, topology=TOPOLOGIES["late"], left_off=left_off, base_iso=base_iso)


def turn_the_clock(node: Node) -> None:
    node.wait_until_succeeds("sudo date --set '+1 hour'")


def test_a_worker_that_comes_an_hour_late_joins_and_runs_pods(lab: Lab, tmp_path: Path) -> None:
    node0, worker = lab.node(), lab.node(WORKER)
    turn_the_clock(node0)
    worker.start()
    turn_the_clock(worker)
    worker.wait_for_console_text("cluster0: .*installed", timeout=INSTALL_SECONDS)
    wait_until_ready(lab)
    assert ready_nodes(lab) == {node0.name: True, WORKER: False}
    assert_pods_reach_each_other(lab, tmp_path)
