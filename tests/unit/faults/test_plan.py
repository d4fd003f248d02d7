"""Which faults share an install."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faults.case import Case
from tests.faults.cases import cases
from tests.faults.plan import LARGEST, plan
from tests.faults.stages import ORDER, STAGES
from vm_harness.container.machine import ContainerMachine
from vm_harness.faults.table import find
from vm_harness.lab.cluster.topologies import TOPOLOGIES
from vm_harness.machine.machines import LabMachine

EVERY = cases()
KINDS = {"container": ContainerMachine, "vm": LabMachine}


def test_every_case_is_planned_once() -> None:
    planned = Counter(case.name for install in plan(EVERY, seed=5) for case in install)
    assert planned == Counter(case.name for case in EVERY)
    assert max(planned.values()) == 1


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    assert plan(EVERY, seed=5) == plan(EVERY, seed=5)
    assert plan(EVERY, seed=5) != plan(EVERY, seed=6)


def test_faults_of_an_install_are_in_the_order_of_their_stages_on_the_same_host() -> None:
    for install in plan(EVERY, seed=7):
        places = [ORDER.index(case.stage) for case in install]
        assert places == sorted(set(places))
        assert len({(case.topology, case.machines, case.host) for case in install}) == 1
        assert len(install) <= LARGEST


def test_a_fault_that_has_to_show_a_reason_has_its_install_for_itself() -> None:
    for install in plan(EVERY, seed=8):
        if any(case.alone for case in install):
            assert len(install) == 1
    assert all(case.alone for case in EVERY if case.shows)


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_a_case_names_a_fault_that_fits_a_stage_and_a_host_of_its_topology(case: Case) -> None:
    assert KINDS[case.machines] in find(case.fault).fits
    assert case.stage in STAGES
    topology = TOPOLOGIES[case.topology]
    assert case.host in {f"node{number}" for number in range(topology.masters + topology.workers)}
