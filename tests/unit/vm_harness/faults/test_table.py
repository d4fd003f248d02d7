"""The list of faults, as users see it, and faults that do not fit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from click.testing import CliRunner

from agent.model.problems import Problem
from cli.main import main
from vm_harness.container.machine import ContainerMachine
from vm_harness.faults.fault import Fault, Target
from vm_harness.faults.table import FAMILIES, FAULTS, find
from vm_harness.lab.faults import explanation
from vm_harness.network.namespace import Namespace

NOWHERE = Path("/dev/null")
CONTAINER = ContainerMachine(
    name="node0", number=0, lab="test", namespace="none", macs=(), bridges=(), memory_mib=0, disk=NOWHERE,
    disk_image=NOWHERE, medium=NOWHERE, medium_image=NOWHERE, serial_log=NOWHERE, runtime=NOWHERE,
)  # fmt: skip


def on_container() -> Target:
    return Target(cast(Any, SimpleNamespace(name="node0")), CONTAINER, Namespace("none", 0, 0), NOWHERE)


def test_no_two_faults_have_the_same_name() -> None:
    names = Counter(fault.name for family in FAMILIES.values() for fault in family)
    assert max(names.values()) == 1


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_list_explains_a_fault_in_one_sentence_or_more(fault: Fault) -> None:
    (line,) = (line for line in explanation().splitlines() if line.split()[:1] == [fault.name])
    assert fault.summary in line
    assert fault.summary.endswith(".")


def test_a_fault_for_virtual_machines_is_refused_on_a_container() -> None:
    with pytest.raises(Problem) as refused:
        find("clock-jump").check(on_container())
    assert (refused.value.code, "--machines vm" in refused.value.remedy) == ("fault-does-not-fit", True)
    find("power-cut").check(on_container())


def test_an_unknown_fault_is_refused_with_the_way_to_the_list() -> None:
    with pytest.raises(Problem) as refused:
        find("meteor")
    assert (refused.value.code, "--list" in refused.value.remedy) == ("no-such-fault", True)


def test_a_command_without_host_and_fault_says_how_to_list_them() -> None:
    ended = CliRunner().invoke(main, ["lab", "fault"])
    assert ended.exit_code == 2
    assert "lab fault --list" in ended.output
