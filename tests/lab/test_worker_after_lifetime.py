"""A worker that is switched on when node0's service has ended after the install: it says why it waits, and joins once
the user has started the service again, as its console asks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from agent.model.host_paths import NODE0_DONE_FILE
from tests.lab.clusters import ready_nodes, wait_until_ready
from tests.vm.installed import assert_installed
from tests.vm.labs import Labs
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import MachineKind

pytestmark = [pytest.mark.containers, pytest.mark.timeout(2400)]

INSTALL_SECONDS = 1800
LIFETIME_MINUTES = 1
WORKER = "node1"


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    work = partial(assert_installed, timeout=INSTALL_SECONDS, nodes="control-plane")
    topology = replace(TOPOLOGIES["late"], service_lifetime_minutes=LIFETIME_MINUTES)
    left_off, kind = frozenset({WORKER}), MachineKind.CONTAINER
    return labs.run(work, topology=topology, machines=kind, left_off=left_off, base_iso=base_iso)


def test_a_worker_that_comes_after_the_services_lifetime_joins_when_the_service_runs_again(lab: Lab) -> None:
    node0, worker = lab.node(), lab.node(WORKER)
    node0.wait_until_succeeds(f"sudo test -e {NODE0_DONE_FILE}", timeout=(LIFETIME_MINUTES + 2) * 60)
    worker.start()
    worker.wait_for_console_text("waiting for node0: .* its service is starting, or has ended", timeout=300)
    node0.succeed(f"sudo rm {NODE0_DONE_FILE}; sudo systemctl start cluster0-node0.target")
    worker.wait_for_console_text(f"cluster0: {WORKER}: installed", timeout=INSTALL_SECONDS)
    wait_until_ready(lab)
    assert ready_nodes(lab) == {node0.name: True, WORKER: False}
