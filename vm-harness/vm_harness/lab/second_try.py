"""A lab whose machines fail is made again, once, under emulation: what a probe promises of KVM may not hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from cli.progress import say
from vm_harness.lab import lab as labs
from vm_harness.lab import state as states
from vm_harness.lab.directories import cache
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest
from vm_harness.machine import machines
from vm_harness.machine.accel import Verdict, Wish
from vm_harness.machine.lifecycle import MachineFailed
from vm_harness.machine.probe.verdicts import Subject, Verdicts

T = TypeVar("T")


def run(request: LabRequest, work: Callable[[Lab], T], *, before_second_try: Callable[[], None] = lambda: None) -> T:
    """Bring a lab up and do `work` with it; once more, with new machines under emulation, when a machine fails.

    Emulation may kill a guest's kernel, too, so emulated machines have a second try as well. There is none where KVM
    was asked for. The `Lab` is `work`'s to close. `before_second_try` is called before the first lab goes down. What
    the second try raises is raised, and its lab stays up.
    """
    try:
        return work(labs.up(request))
    except MachineFailed as failed:
        if request.wish is Wish.KVM:
            raise
        try:
            say(f"{failed}\nThe machines are made again, under emulation; the first ones' consoles become *.previous.")
            if failed.condemns_kvm:
                _remember_that_kvm_fails(failed)
            before_second_try()
        finally:
            labs.down(request.directories)
    return work(labs.up(replace(request, wish=Wish.EMULATION)))


def _remember_that_kvm_fails(failed: MachineFailed) -> None:
    """From now on, until this computer starts again, KVM is not tried with this guest."""
    subject = Subject.of(machines.emulator(), states.boot_id(), failed.guest)
    Verdicts(cache()).remember(subject, Verdict(False, f"a machine failed under KVM: {failed.title}"))
