"""When a machine of a lab fails, all machines are made again, once, under emulation.

A probe cannot promise that KVM works for as long as a lab is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from cli.progress import say
from vm_harness.lab import state as states
from vm_harness.lab.directories import cache
from vm_harness.lab.lab import Lab, down
from vm_harness.lab.request import LabRequest, MachineKind
from vm_harness.lab.up import up
from vm_harness.machine import machines
from vm_harness.machine.accel import AccelMode, Verdict
from vm_harness.machine.lifecycle import MachineFailed
from vm_harness.machine.probe.verdicts import Subject, Verdicts

T = TypeVar("T")


def run(request: LabRequest, work: Callable[[Lab], T], *, before_retry: Callable[[], None] = lambda: None) -> T:
    """Bring a lab up and call `work`, which closes the `Lab`. When a machine fails: the same once more, emulated.

    Emulation may kill a guest's kernel, too, so emulated machines also get their retry. With `AccelMode.KVM`, and for
    containers, there is none. `before_retry` is called before the first lab goes down. An exception of the retry is
    raised, and its lab stays up.
    """
    try:
        return work(up(request))
    except MachineFailed as failed:
        if request.accel_mode is AccelMode.KVM or request.machines is MachineKind.CONTAINER:
            raise
        try:
            say(f"{failed}\nThe machines are made again, under emulation; the first ones' consoles become *.previous.")
            if failed.blames_kvm:
                _remember_that_kvm_fails(failed)
            before_retry()
        finally:
            down(request.directories)
    return work(up(replace(request, accel_mode=AccelMode.EMULATION)))


def _remember_that_kvm_fails(failed: MachineFailed) -> None:
    """Record that KVM fails: it is not tried with this guest again until this computer restarts."""
    subject = Subject.of(machines.emulator(), states.boot_id(), failed.guest)
    Verdicts(cache()).remember(subject, Verdict(False, f"a machine failed under KVM: {failed.title}"))
