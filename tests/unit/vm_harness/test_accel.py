"""KVM or emulation: the wish, the verdict, the decision."""

from __future__ import annotations

import pytest

from agent.model.problems import Problem
from vm_harness.machine import accel
from vm_harness.machine.accel import Acceleration, Verdict, Wish

WORKS = Verdict(True, "the ISO's own kernel starts under kvm")
BROKEN = Verdict(False, "a boot sector does not run under kvm")


@pytest.mark.parametrize(
    ("wish", "verdict", "chosen"),
    [
        (Wish.AUTO, WORKS, Acceleration.KVM),
        (Wish.AUTO, BROKEN, Acceleration.EMULATION),
        (Wish.KVM, WORKS, Acceleration.KVM),
        (Wish.EMULATION, WORKS, Acceleration.EMULATION),
        (Wish.EMULATION, BROKEN, Acceleration.EMULATION),
    ],
)
def test_wish_and_verdict_decide(wish: Wish, verdict: Verdict, chosen: Acceleration) -> None:
    acceleration, reason = accel.decide(wish, lambda: verdict)
    assert acceleration is chosen
    assert reason


def test_emulation_asked_for_needs_no_probe() -> None:
    def probe() -> Verdict:
        raise AssertionError("probed")

    assert accel.decide(Wish.EMULATION, probe)[0] is Acceleration.EMULATION


def test_kvm_asked_for_and_broken_is_refused_with_the_reason() -> None:
    with pytest.raises(Problem, match="does not run under kvm") as refused:
        accel.decide(Wish.KVM, lambda: BROKEN)
    assert refused.value.code == "kvm-unusable"


@pytest.mark.parametrize(("value", "wish"), [("", Wish.AUTO), ("tcg", Wish.EMULATION), ("kvm", Wish.KVM)])
def test_the_environment_can_wish(value: str, wish: Wish, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(accel.ENVIRONMENT, value)
    assert Wish.of_environment() is wish


def test_an_unknown_wish_of_the_environment_is_refused_with_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(accel.ENVIRONMENT, "xen")
    with pytest.raises(Problem, match="xen") as refused:
        Wish.of_environment()
    assert "auto, kvm, tcg" in refused.value.remedy
