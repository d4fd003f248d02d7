"""Which CPU the guests see."""

from __future__ import annotations

from vm_harness.machine.accel import Acceleration
from vm_harness.machine.cpu import choose


def test_guests_under_kvm_have_the_cpu_of_this_computer() -> None:
    assert choose(Acceleration.KVM).mode == "host-passthrough"


def test_guests_under_emulation_lack_the_instruction_that_kills_their_kernel() -> None:
    assert "cx16" in choose(Acceleration.EMULATION).hidden
