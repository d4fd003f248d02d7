"""Matching this machine to a host of the inputs: by MAC addresses only, and never ambiguously."""

from __future__ import annotations

import itertools

import pytest

from agent.model.intent import HostIntent
from agent.model.network import NetworkModel
from agent.network.by_mac import competing_hosts, match_host
from agent.network.nics import Nic
from tests.fakes.inputs.intents import host, mac, nic

ONE, TWO = host(1), host(2)
PAIR = host(1, NetworkModel(interfaces=(nic("eth0", 1), nic("eth1", 3))))


def nics(*numbers: int) -> list[Nic]:
    return [Nic(f"enp{number}s0", mac(number)) for number in numbers]


@pytest.mark.parametrize(
    ("numbers", "hosts", "index"),
    [
        pytest.param((2,), (ONE, TWO), 1, id="the host whose MAC this machine has"),
        pytest.param((2, 8, 9), (ONE, TWO), 1, id="NICs that no host lists do not matter"),
        pytest.param((1, 3), (ONE, PAIR), 1, id="the host with more matching MACs"),
        pytest.param((1,), (ONE, PAIR), 0, id="not a host with a missing MAC"),
        pytest.param((1, 2), (ONE, TWO), -1, id="no host if two match equally"),
        pytest.param((9,), (ONE, TWO), -1, id="an unmatched host"),
        pytest.param((), (ONE,), -1, id="no NIC"),
        pytest.param((1,), (), -1, id="no host is listed"),
    ],
)
def test_a_host_is_matched_by_the_macs_of_its_nics(
    numbers: tuple[int, ...], hosts: tuple[HostIntent, ...], index: int
) -> None:
    for order in itertools.permutations(nics(*numbers)):
        assert match_host(order, hosts).index == index


def test_a_match_says_why_and_gives_the_real_names() -> None:
    match = match_host(nics(3, 1), [TWO, PAIR])
    assert match.why == f"hosts[1] (host1): {mac(1)} is enp1s0, {mac(3)} is enp3s0"
    assert match.names == {"eth0": "enp1s0", "eth1": "enp3s0"}
    assert not match.problems


def test_an_unmatched_host_names_the_hosts_with_almost_its_mac() -> None:
    hosts = [host(0x10), host(0xFF), host(0x02)]  # swapped, two others, one other
    (problem,) = match_host(nics(0x01), hosts).problems
    assert problem.detail.splitlines() == [
        f"Seen here: enp1s0 ({mac(1)})",
        f"Almost the same: host2 lists {mac(2)} as eth0",
        f"Almost the same: host16 lists {mac(0x10)} as eth0",
        f"Almost the same: host255 lists {mac(0xFF)} as eth0",
    ]
    other = Nic("enp1s0", "02:00:00:12:34:56")
    assert match_host([other], hosts).problems[0].detail == "Seen here: enp1s0 (02:00:00:12:34:56)"


def test_a_missing_interface_is_named_with_what_was_seen() -> None:
    (problem,) = match_host(nics(1, 9), [PAIR]).problems
    assert problem.code == "interface-missing"
    assert problem.title == f"Host host1: no such interface on the host: eth1 ({mac(3)})"
    assert problem.detail == f"Seen here: enp1s0 ({mac(1)}), enp9s0 ({mac(9)})"


@pytest.mark.parametrize(
    ("numbers", "code"), [((9,), "host-unknown"), ((), "host-unknown"), ((1, 2), "host-ambiguous")]
)
def test_no_match_has_a_problem_with_a_remedy(numbers: tuple[int, ...], code: str) -> None:
    (problem,) = match_host(nics(*numbers), [ONE, TWO]).problems
    assert problem.code == code
    assert problem.remedy
    assert all(mac(number) in problem.detail for number in numbers)


def test_no_hosts_listed_is_not_a_problem() -> None:
    assert not match_host(nics(1), []).problems


def test_competing_hosts_are_those_that_another_nic_could_make_win() -> None:
    assert competing_hosts(0, nics(1), [ONE, PAIR]) == [PAIR]
    assert competing_hosts(0, nics(1), [ONE, TWO]) == []
