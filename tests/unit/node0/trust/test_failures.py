"""Failed authentications per address: counted, decayed over time, and dropped when there are too many addresses."""

from __future__ import annotations

import pytest

from node0.refusals import TooMany
from node0.trust.failures import ADDRESSES, BURST, FORGOTTEN_PER_SECOND, Failures
from tests.fakes.node0.clock import ManualClock


def test_a_burst_is_refused_until_it_is_forgotten() -> None:
    clock = ManualClock()
    failures = Failures(clock)
    for _ in range(BURST):
        failures.check("192.0.2.1")
        failures.count("192.0.2.1")
    with pytest.raises(TooMany):
        failures.check("192.0.2.1")
    failures.check("192.0.2.2")
    clock.advance(2 / FORGOTTEN_PER_SECOND)
    failures.check("192.0.2.1")


def test_the_record_of_failed_logins_is_bounded() -> None:
    failures = Failures(ManualClock())
    for _ in range(BURST):
        failures.count("first")
    for number in range(ADDRESSES):
        failures.count(str(number))
    failures.check("first")
