"""Judging what NetworkManager and the kernel say."""

from __future__ import annotations

from agent.machine import Address
from agent.machine.networkmanager import Device
from agent.network.verify import Expected, judge

UP = Device(interface="enp1s0", state=100, reason=0, active_uuid="uuid-1")
NO_CARRIER = Device(interface="enp1s0", state=20, reason=40, active_uuid="")
WANTED = Expected(name="eth0", interface="enp1s0", uuid="uuid-1", addresses=("192.0.2.10/24", "2001:DB8:0::1/64"))
ADDRESSES = (Address("enp1s0", "192.0.2.10/24"), Address("enp1s0", "2001:db8::1/64"))


def test_up_with_all_addresses_is_no_problem() -> None:
    report = judge([WANTED], [UP], ADDRESSES)
    assert not report.problems
    assert (report.devices[0].state, report.devices[0].addresses[0]) == ("activated", "192.0.2.10/24")


def test_not_active_gives_networkmanagers_reason() -> None:
    (problem,) = judge([WANTED], [NO_CARRIER], ()).problems
    assert problem.code == "interface-not-up"
    assert "eth0 (enp1s0) is not up: unavailable, the link went away" in problem.title


def test_unknown_to_networkmanager() -> None:
    (problem,) = judge([WANTED], [], ()).problems
    assert "does not know it" in problem.title


def test_active_without_its_address() -> None:
    (problem,) = judge([WANTED], [UP], ADDRESSES[1:]).problems
    assert (problem.code, "192.0.2.10/24" in problem.title) == ("address-missing", True)
