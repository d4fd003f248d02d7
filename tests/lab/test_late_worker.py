"""`missingWorkers: continue`: the cluster is installed without its worker, which is switched on later, and joins."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.lab.clusters import ready_nodes, wait_until_ready
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from tests.vm.pods import assert_pods_reach_each_other
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import MachineKind

pytestmark = [pytest.mark.containers, pytest.mark.timeout(2400)]

INSTALL_SECONDS = 1800
WORKER = "node1"


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    work = partial(assert_installed, timeout=INSTALL_SECONDS, nodes="control-plane")
    left_off, kind = frozenset({WORKER}), MachineKind.CONTAINER
    return labs.run(work, topology=TOPOLOGIES["late"], machines=kind, left_off=left_off, base_iso=base_iso)


def test_a_cluster_is_installed_without_a_worker_that_does_not_come(lab: Lab) -> None:
    assert ready_nodes(lab) == {"node0": True}


def test_a_worker_that_comes_after_the_install_joins_and_runs_pods(lab: Lab, tmp_path: Path) -> None:
    worker = lab.node(WORKER)
    worker.start()
    worker.wait_for_console_text("installed", timeout=INSTALL_SECONDS)
    wait_until_ready(lab)
    assert ready_nodes(lab) == {"node0": True, WORKER: False}
    assert_pods_reach_each_other(lab, tmp_path)
