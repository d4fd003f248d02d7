"""The state in NetworkManager and the kernel, compared with the requested configuration."""

from __future__ import annotations

from dataclasses import replace

from agent.machine import Address
from agent.machine.networkmanager import Device
from agent.network.evaluate import Expected, Found, evaluate

EXPECTED = Expected("eth0", "enp1s0", "uuid-0", ("192.0.2.10/24", "2001:db8::1/64"))
UP = Device("enp1s0", 100, 0, "uuid-0")
FAILED = Device("enp1s0", 120, 5, "")
ADDRESSES = (Address("enp1s0", "192.0.2.10/24"), Address("enp1s0", "2001:db8::1/64"))
NOTHING = Found([FAILED], ())


def test_an_interface_with_all_its_addresses_is_no_problem() -> None:
    report = evaluate([EXPECTED], Found([UP], ADDRESSES))
    assert not report.problems
    assert (report.devices[0].state, report.devices[0].addresses[0]) == ("activated", "192.0.2.10/24")


def test_an_inactive_interface_has_networkmanagers_reason() -> None:
    (problem,) = evaluate([EXPECTED], NOTHING).problems
    assert problem.code == "interface-not-up"
    assert (
        problem.title
        == "Interface eth0 (enp1s0) is not up: failed, its addresses are another host's, or no server gave any"
    )


def test_an_unplugged_cable_is_a_problem_with_its_remedy() -> None:
    (problem,) = evaluate([EXPECTED], replace(NOTHING, without_carrier=frozenset({"enp1s0"}))).problems
    assert problem.title.endswith("failed, there is no carrier")


def test_an_interface_unknown_to_networkmanager_is_a_problem() -> None:
    (problem,) = evaluate([EXPECTED], Found([], ())).problems
    assert "does not know it" in problem.title


def test_a_profile_that_networkmanager_refused_is_a_problem() -> None:
    (problem,) = evaluate([EXPECTED], replace(NOTHING, profiles=frozenset({"another"}))).problems
    assert problem.code == "profile-refused"


def test_another_host_with_the_address_is_named_by_its_mac() -> None:
    address_owners = {"192.0.2.10/24": frozenset({"52:54:00:00:00:99"})}
    (problem,) = evaluate(
        [EXPECTED], replace(NOTHING, taken=address_owners, macs={"enp1s0": "52:54:00:00:00:01"})
    ).problems
    assert problem.code == "address-conflict"
    assert problem.title == (
        "The address 192.0.2.10 of eth0 (enp1s0) (52:54:00:00:00:01) is also that of 52:54:00:00:00:99"
    )


def test_an_active_interface_without_its_address_is_a_problem() -> None:
    (problem,) = evaluate([EXPECTED], Found([UP], ADDRESSES[1:])).problems
    assert (problem.code, "192.0.2.10/24" in problem.title) == ("address-missing", True)
