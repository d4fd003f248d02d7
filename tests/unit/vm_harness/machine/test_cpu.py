"""Which CPU the guests see."""

from __future__ import annotations

from vm_harness.machine.accel import Acceleration
from vm_harness.machine.cpu import choose


def test_kvm_gives_the_hosts_own() -> None:
    assert choose(Acceleration.KVM).mode == "host-passthrough"


def test_emulation_hides_what_kills_the_guests_kernel() -> None:
    assert "cx16" in choose(Acceleration.EMULATION).hidden
