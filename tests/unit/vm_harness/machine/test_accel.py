"""KVM or emulation: the request, the verdict, the decision."""

from __future__ import annotations

import pytest

from agent.model.problems import Problem
from vm_harness.machine import accel
from vm_harness.machine.accel import Acceleration, AccelMode, Verdict

WORKS = Verdict(True, "the ISO's own kernel starts under kvm")
BROKEN = Verdict(False, "a boot sector does not run under kvm")


@pytest.mark.parametrize(
    ("accel_mode", "verdict", "chosen"),
    [
        (AccelMode.AUTO, WORKS, Acceleration.KVM),
        (AccelMode.AUTO, BROKEN, Acceleration.EMULATION),
        (AccelMode.KVM, WORKS, Acceleration.KVM),
        (AccelMode.EMULATION, WORKS, Acceleration.EMULATION),
        (AccelMode.EMULATION, BROKEN, Acceleration.EMULATION),
    ],
)
def test_the_acceleration_is_decided_by_request_and_verdict(
    accel_mode: AccelMode, verdict: Verdict, chosen: Acceleration
) -> None:
    acceleration, reason = accel.decide(accel_mode, lambda: verdict)
    assert acceleration is chosen
    assert reason


def test_requested_emulation_needs_no_probe() -> None:
    def probe() -> Verdict:
        raise AssertionError("probed")

    assert accel.decide(AccelMode.EMULATION, probe)[0] is Acceleration.EMULATION


def test_requested_kvm_that_does_not_work_is_refused_with_the_reason() -> None:
    with pytest.raises(Problem, match="does not run under kvm") as refused:
        accel.decide(AccelMode.KVM, lambda: BROKEN)
    assert refused.value.code == "kvm-unusable"


@pytest.mark.parametrize(
    ("value", "accel_mode"), [("", AccelMode.AUTO), ("tcg", AccelMode.EMULATION), ("kvm", AccelMode.KVM)]
)
def test_the_environment_can_request_an_acceleration(
    value: str, accel_mode: AccelMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(accel.ENVIRONMENT, value)
    assert AccelMode.of_environment() is accel_mode


def test_an_unknown_acceleration_of_the_environment_is_refused_with_the_known_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(accel.ENVIRONMENT, "xen")
    with pytest.raises(Problem, match="xen") as refused:
        AccelMode.of_environment()
    assert "auto, kvm, tcg" in refused.value.remedy
