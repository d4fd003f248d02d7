"""A worker that comes an hour after the install. The hour is a turn of the clocks, which takes virtual machines."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from tests.lab.clusters import ready_nodes, wait_until_ready
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs, hypervisor
from tests.vm.pods import assert_pods_reach_each_other
from vm_harness.guest.node import Node
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab
from vm_harness.machine.domain import render
from vm_harness.machine.machines import LabMachine

# Two emulated machines, one after the other.
pytestmark = [pytest.mark.vm, pytest.mark.slow, pytest.mark.timeout(5400)]

INSTALL_SECONDS = 3600
WORKER = "node1"
HOUR = 3600


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    work = partial(assert_installed, timeout=INSTALL_SECONDS, nodes="control-plane")
    left_off = frozenset({WORKER})
    return labs.run(work, topology=TOPOLOGIES["late"], left_off=left_off, base_iso=base_iso)


def let_an_hour_pass(lab: Lab) -> None:
    """node0's clock is turned while it runs, the worker's hardware clock while it is off."""
    lab.node().succeed("sudo date --set '+1 hour'")
    (worker,) = (machine for machine in lab.state.machines if machine.name == WORKER)
    assert isinstance(worker, LabMachine)
    now, later = 'offset="utc"', f'offset="variable" basis="utc" adjustment="{HOUR}"'
    xml = render(worker.domain)
    assert now in xml
    hypervisor(lab).define(xml.replace(now, later))


def clock(node: Node) -> int:
    """Seconds since 1970."""
    return int(node.succeed("date +%s"))


def test_a_worker_that_comes_an_hour_late_joins_and_runs_pods(lab: Lab, tmp_path: Path) -> None:
    node0, worker = lab.node(), lab.node(WORKER)
    let_an_hour_pass(lab)
    worker.start()
    worker.wait_for_console_text(rf"cluster0: {WORKER}: installed", timeout=INSTALL_SECONDS)
    wait_until_ready(lab)
    assert ready_nodes(lab) == {node0.name: True, WORKER: False}
    assert_pods_reach_each_other(lab, tmp_path)
    assert abs(clock(worker) - clock(node0)) < HOUR / 2
    assert clock(worker) - time.time() > HOUR / 2
