"""The state tables as tables: no row is dead, no state is a trap, and every sentence can be said."""

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
from tests.fakes.node0.records import at_stage, cluster, host

AnyRule = Transition[Any, Any, Any]
LONG = 10**6


def label(rule: AnyRule) -> str:
    return f"{rule.on}: {rule.to}: {rule.why[:40]}"


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
            host=host(status, inventory=inventory, stage=at_stage(stage) if stage else None, media_connected=medium),
            cluster=cluster(where),
            unresponsive_for=times[0],
            stalled_for=times[1],
            failing=failing,
            stage=reported,
            unprepared=("disk speed",) if medium else (),
            is_same_boot=not medium,
        )


def cluster_cases(status: ClusterStatus) -> Iterator[ClusterCase]:
    failings: list[dict[Gate, tuple[str, ...]]] = [{}, {Gate.INPUT: ("Bad.",)}, {Gate.SUFFICIENT: ("Bad.",)}]
    for failing, host_status, leads, since in product(failings, HostStatus, (True, False), (0, 6 * 3600, LONG)):
        hosts = (host(host_status, bootstrap=leads),)
        yield ClusterCase(cluster=cluster(status), hosts=hosts, since=since, failing=failing)


def decides(rules: tuple[AnyRule, ...], rule: AnyRule, status: StrEnum, case: Any) -> bool:
    """Whether `rule` is the row that decides `case`."""
    first = next((row for row in rules if row.on is rule.on and status in row.at and row.when(case)), None)
    return first is rule


@pytest.mark.parametrize("rule", HOST_TRANSITIONS, ids=label)
def test_every_host_row_decides_some_case(rule: AnyRule) -> None:
    found = [case for at in rule.at for case in host_cases(at) if decides(HOST_TRANSITIONS, rule, at, case)]
    assert found
    assert "{" not in rule.why.format(case=found[0])


@pytest.mark.parametrize("rule", CLUSTER_TRANSITIONS, ids=label)
def test_every_cluster_row_decides_some_case(rule: AnyRule) -> None:
    found = [case for at in rule.at for case in cluster_cases(at) if decides(CLUSTER_TRANSITIONS, rule, at, case)]
    assert found
    assert "{" not in rule.why.format(case=found[0])


HOST_FINAL = host_table.FINAL - {HostStatus.ERROR}
"""A failed host may start over by registering again."""

BY_THE_USER = frozenset({"reset requested", "cancel requested"})


def test_a_failed_host_leaves_that_state_by_registering_or_a_reset_only() -> None:
    on = {rule.on for rule in HOST_TRANSITIONS if HostStatus.ERROR in rule.at}
    assert on == {host_table.HostEvent.REGISTERED, host_table.HostEvent.RESET_REQUESTED}


@pytest.mark.parametrize(
    ("rules", "ends", "good_end"),
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
    rules: tuple[AnyRule, ...], ends: frozenset[StrEnum], good_end: StrEnum
) -> None:
    for state in ends:
        assert good_end in reachable(rules, state)
    assert reachable(CLUSTER_TRANSITIONS, ClusterStatus.INSTALLED) == {ClusterStatus.INSTALLED}


def reachable(rules: tuple[AnyRule, ...], start: StrEnum) -> set[StrEnum]:
    """The states that rows lead to from `start`, itself included."""
    seen: set[StrEnum] = set()
    ahead = {start}
    while ahead:
        seen |= ahead
        ahead = {rule.to for rule in rules if rule.at & ahead} - seen
    return seen


@pytest.mark.parametrize(
    ("rules", "start", "good_end", "final"),
    [
        pytest.param(HOST_TRANSITIONS, HostStatus.DISCOVERING, HostStatus.INSTALLED, HOST_FINAL, id="host"),
        pytest.param(
            CLUSTER_TRANSITIONS, ClusterStatus.INSUFFICIENT, ClusterStatus.INSTALLED, cluster_table.FINAL, id="cluster"
        ),
    ],
)
def test_no_state_is_a_dead_end(
    rules: tuple[AnyRule, ...], start: StrEnum, good_end: StrEnum, final: frozenset[StrEnum]
) -> None:
    """By itself: what the user may do besides is another test."""
    rules = tuple(rule for rule in rules if rule.on not in BY_THE_USER)
    states = reachable(rules, start)
    assert good_end in states
    for state in states - final:
        assert good_end in reachable(rules, state), f"{state} does not lead to {good_end}"
    for state in states & final:
        assert reachable(rules, state) <= final, f"{state} is final, yet something leads out of it"
