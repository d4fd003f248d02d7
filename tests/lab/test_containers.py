"""The lab's own promises for containers: power, medium, and a machine that stops is reported at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vm.labs import Labs
from vm_harness.container.power import ContainerPower
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import MachineKind
from vm_harness.machine.lifecycle import MachineFailed

pytestmark = [pytest.mark.containers, pytest.mark.timeout(300)]

UP = "cluster0: localhost: unconfigured"


@pytest.fixture(scope="module")
def lab(labs: Labs, base_iso: Path) -> Lab:
    return labs.bring_up(machines=MachineKind.CONTAINER, iso=base_iso)


@pytest.fixture
def power(lab: Lab) -> Iterator[ContainerPower]:
    """The machine, switched on before and after the test."""
    machine = lab.node().machine
    assert isinstance(machine, ContainerPower)
    if not machine.is_on():
        lab.node().start()
    yield machine
    lab.node().crash()


def test_a_container_boots_the_root_image_of_the_iso(lab: Lab, power: ContainerPower) -> None:
    lab.node().wait_for_console_text(UP, timeout=120)


def test_a_container_boots_nothing_while_its_medium_is_out(lab: Lab, power: ContainerPower, base_iso: Path) -> None:
    node = lab.node()
    node.crash()
    node.eject_medium()
    node.start()
    node.wait_for_console_text("no bootable device", timeout=60)
    node.crash()
    node.insert_medium(base_iso)
    node.start()
    node.wait_for_console_text("booting from medium", timeout=60)


def test_a_container_that_is_paused_ends_every_wait(lab: Lab, power: ContainerPower) -> None:
    lab.node().wait_for_console_text(UP, timeout=120)
    power.group.freeze()
    try:
        with pytest.raises(MachineFailed) as failed:
            lab.node().wait_for_console_text("never printed", timeout=60)
    finally:
        power.group.thaw()
    assert failed.value.code == "machine-paused"


def test_a_container_whose_runner_is_killed_ends_every_wait(lab: Lab, power: ContainerPower) -> None:
    for process in power.group.runners():
        os.kill(process, signal.SIGKILL)
    with pytest.raises(MachineFailed) as failed:
        lab.node().wait_for_console_text("never printed", timeout=60)
    assert failed.value.code == "machine-crashed"
