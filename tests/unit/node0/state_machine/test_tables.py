"""The state tables as a whole: each row decides some case, each state can be left, each text can be formatted."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from itertools import product
from typing import Any

import pytest

from agent.model.states import ClusterStatus, HostStatus, Stage
from node0.state_machine import cluster as cluster_table
from node0.state_machine import host as host_table
from node0.state_machine.cluster import CLUSTER_TRANSITIONS, ClusterCase
from node0.state_machine.host import HOST_TRANSITIONS, HostCase
from node0.state_machine.transition import Transition
from node0.validations.engine.validation import Gate
from node0.validations.host.hardware.no_boot_loop import STARTS
from tests.fakes.node0.records import NOW, at_stage, cluster, host

AnyTransition = Transition[Any, Any, Any]
LONG = 10**6


def label(transition: AnyTransition) -> str:
    return f"{transition.on}: {transition.to}: {transition.why[:40]}"


@cache
def host_cases(status: HostStatus) -> tuple[HostCase, ...]:
    return tuple(_host_cases(status))


def _host_cases(status: HostStatus) -> Iterator[HostCase]:
    bad: tuple[str, ...] = ("Bad.",)
    gates = [{}, *({gate: bad} for gate in Gate)]
    for failing, inventory, stage, times, where, reported, medium in product(
        gates,
        (None, host().inventory),
        (None, Stage.WRITING_IMAGE, Stage.REBOOTING),
        ((0, 0), (LONG, 0), (0, LONG)),
        ClusterStatus,
        (Stage.INSTALLING, Stage.DONE),
        (True, False),
    ):
        yield HostCase(
            host=host(
                status,
                inventory=inventory,
                stage=at_stage(stage) if stage else None,
                media_connected=medium,
                boot_id="1" if inventory else "",
                starts=(NOW,) * STARTS if inventory else (),
            ),
            cluster=cluster(where),
            unresponsive_for=times[0],
            stalled_for=times[1],
            failing=failing,
            stage=reported,
            missing_reports=("disk speed",) if medium else (),
            is_same_boot=not medium,
        )


def cluster_cases(status: ClusterStatus) -> Iterator[ClusterCase]:
    failings: list[dict[Gate, tuple[str, ...]]] = [{}, {Gate.INPUT: ("Bad.",)}, {Gate.SUFFICIENT: ("Bad.",)}]
    for failing, host_status, leads, since in product(failings, HostStatus, (True, False), (0, 6 * 3600, LONG)):
        hosts = (host(host_status, bootstrap=leads),)
        yield ClusterCase(cluster=cluster(status), hosts=hosts, since=since, failing=failing)


def decides(transitions: tuple[AnyTransition, ...], transition: AnyTransition, status: StrEnum, case: Any) -> bool:
    """Whether `transition` is the row that decides `case`."""
    first = next((row for row in transitions if row.on is transition.on and status in row.at and row.when(case)), None)
    return first is transition


@pytest.mark.parametrize("transition", HOST_TRANSITIONS, ids=label)
def test_every_host_row_decides_some_case(transition: AnyTransition) -> None:
    found = [case for at in transition.at for case in host_cases(at) if decides(HOST_TRANSITIONS, transition, at, case)]
    assert found
    assert "{" not in transition.why.format(case=found[0])


@pytest.mark.parametrize("transition", CLUSTER_TRANSITIONS, ids=label)
def test_every_cluster_row_decides_some_case(transition: AnyTransition) -> None:
    found = [
        case for at in transition.at for case in cluster_cases(at) if decides(CLUSTER_TRANSITIONS, transition, at, case)
    ]
    assert found
    assert "{" not in transition.why.format(case=found[0])


HOST_FINAL = host_table.FINAL - {HostStatus.ERROR}
"""A failed host may start over by registering again."""

BY_THE_USER = frozenset({"reset requested", "cancel requested"})


def test_a_failed_host_leaves_that_state_by_registering_or_a_reset_only() -> None:
    on = {transition.on for transition in HOST_TRANSITIONS if HostStatus.ERROR in transition.at}
    assert on == {host_table.HostEvent.REGISTERED, host_table.HostEvent.RESET_REQUESTED}


@pytest.mark.parametrize(
    ("transitions", "ends", "good_end"),
    [
        pytest.param(HOST_TRANSITIONS, host_table.FINAL, HostStatus.INSTALLED, id="host"),
        pytest.param(
            CLUSTER_TRANSITIONS,
            cluster_table.FINAL - {ClusterStatus.INSTALLED},
            ClusterStatus.INSTALLED,
            id="cluster",
        ),
    ],
)
def test_a_reset_leads_out_of_every_end_but_an_installed_cluster(
    transitions: tuple[AnyTransition, ...], ends: frozenset[StrEnum], good_end: StrEnum
) -> None:
    for state in ends:
        assert good_end in reachable(transitions, state)
    assert reachable(CLUSTER_TRANSITIONS, ClusterStatus.INSTALLED) == {ClusterStatus.INSTALLED}


def reachable(transitions: tuple[AnyTransition, ...], start: StrEnum) -> set[StrEnum]:
    """The states that rows lead to from `start`, itself included."""
    seen: set[StrEnum] = set()
    ahead = {start}
    while ahead:
        seen |= ahead
        ahead = {transition.to for transition in transitions if transition.at & ahead} - seen
    return seen


@pytest.mark.parametrize(
    ("transitions", "start", "good_end", "final"),
    [
        pytest.param(HOST_TRANSITIONS, HostStatus.DISCOVERING, HostStatus.INSTALLED, HOST_FINAL, id="host"),
        pytest.param(
            CLUSTER_TRANSITIONS, ClusterStatus.INSUFFICIENT, ClusterStatus.INSTALLED, cluster_table.FINAL, id="cluster"
        ),
    ],
)
def test_no_state_is_a_dead_end(
    transitions: tuple[AnyTransition, ...], start: StrEnum, good_end: StrEnum, final: frozenset[StrEnum]
) -> None:
    """Without actions of the user; another test has those."""
    transitions = tuple(transition for transition in transitions if transition.on not in BY_THE_USER)
    states = reachable(transitions, start)
    assert good_end in states
    for state in states - final:
        assert good_end in reachable(transitions, state), f"{state} does not lead to {good_end}"
    for state in states & final:
        assert reachable(transitions, state) <= final, f"{state} is final, yet something leads out of it"
