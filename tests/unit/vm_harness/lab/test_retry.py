"""Whether a lab is made again under emulation, for machines whose power states were recorded from real ones.

Power, console and the wait for the kernel are the lab's own; only libvirt is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agent.model.problems import Problem
from tests.fakes.lab.recorded_power import replayed
from vm_harness.guest.console import Console
from vm_harness.guest.watch import Watch
from vm_harness.lab import retry
from vm_harness.lab import state as states
from vm_harness.lab.directories import Directories
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest
from vm_harness.machine import machines
from vm_harness.machine.accel import Acceleration, AccelMode, Verdict
from vm_harness.machine.lifecycle import MachineFailed
from vm_harness.machine.power import Power
from vm_harness.machine.probe.verdicts import Subject, Verdicts

KERNEL_SECONDS = 0.2
GUEST = "digest of kernel and initramfs"


class RecordedLabs:
    """`up` and `down` of labs: the n-th lab that is brought up has the machine of the n-th recording."""

    def __init__(self, stack: ExitStack, directory: Path) -> None:
        self._stack = stack
        self._directory = directory
        self.recordings: list[str] = []
        self.first = Acceleration.KVM
        self.came_up: list[Acceleration] = []
        self.came_down = 0

    def up(self, request: LabRequest) -> Lab:
        acceleration = Acceleration.EMULATION if request.accel_mode is AccelMode.EMULATION else self.first
        self.came_up.append(acceleration)
        serial_log = self._directory / f"serial-{len(self.came_up)}.log"
        hypervisor = self._stack.enter_context(replayed(self.recordings[len(self.came_up) - 1], serial_log))
        machine = SimpleNamespace(domain=SimpleNamespace(name="node0", acceleration=acceleration), guest=GUEST)
        power = Power(cast(Any, machine), cast(Any, hypervisor), self._directory / "qemu.log")
        console = Console(power, serial_log)
        console.begin_boot(request.kernel_seconds)
        power.on()
        watch = self._stack.enter_context(closing(Watch([console], hypervisor.events)))
        watch.wait_for_kernels()
        node = SimpleNamespace(name="node0", power=power, console=console)
        return cast(Lab, SimpleNamespace(nodes=(node,), acceleration=acceleration, watch=watch))

    def down(self, _directories: Directories) -> None:
        self.came_down += 1


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedLabs]:
    qemu = tmp_path / "qemu"
    qemu.touch()
    monkeypatch.setenv("CLUSTER0_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(machines, "emulator", lambda: qemu)
    with ExitStack() as stack:
        recorded = RecordedLabs(stack, tmp_path)
        monkeypatch.setattr(retry, "up", recorded.up)
        monkeypatch.setattr(retry, "down", recorded.down)
        yield recorded


@pytest.fixture
def run(labs: RecordedLabs, tmp_path: Path) -> Callable[..., Lab]:
    def run(*recordings: str, accel_mode: AccelMode = AccelMode.AUTO) -> Lab:
        labs.recordings = list(recordings)
        request = LabRequest(directories=Directories.of(tmp_path), accel_mode=accel_mode, kernel_seconds=KERNEL_SECONDS)
        return retry.run(request, lambda lab: lab)

    return run


def remembered(directory: Path) -> Verdict | None:
    return Verdicts(directory / "cache").recall(Subject.of(directory / "qemu", states.boot_id(), GUEST))


def test_a_lab_whose_machine_starts_is_not_made_again(
    run: Callable[..., Lab], labs: RecordedLabs, tmp_path: Path
) -> None:
    assert run("started").acceleration is Acceleration.KVM
    assert labs.came_up == [Acceleration.KVM]
    assert remembered(tmp_path) is None


@pytest.mark.parametrize(
    ("recording", "reason", "blames_kvm"),
    [
        ("stopped-by-qemu", "QEMU has paused it by itself (VM status: paused)", True),
        ("no-kernel-line", "no line of its kernel within 0.2 s of power on", True),
        ("suspended", "it was paused on request before its kernel started", False),
        ("io-error", "this computer cannot read or write its disk or medium (I/O error)", False),
    ],
)
def test_a_machine_that_fails_under_kvm_is_made_again_under_emulation(
    recording: str, reason: str, blames_kvm: bool, run: Callable[..., Lab], labs: RecordedLabs, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert run(recording, "started").acceleration is Acceleration.EMULATION
    assert labs.came_up == [Acceleration.KVM, Acceleration.EMULATION]
    assert labs.came_down == 1
    assert f"node0: {reason}" in capsys.readouterr().err
    corrected = Verdict(False, f"a machine failed under KVM: node0: {reason}")
    assert remembered(tmp_path) == (corrected if blames_kvm else None)


def test_a_failed_machine_is_reported_with_the_end_of_its_console(run: Callable[..., Lab]) -> None:
    with pytest.raises(MachineFailed) as failed:
        run("stopped-by-qemu", accel_mode=AccelMode.KVM)
    assert "cluster0: loading the live system ..." in failed.value.detail
    assert "serial-1.log" in failed.value.remedy


def test_an_emulated_machine_that_fails_is_made_again_and_kvm_keeps_its_verdict(
    run: Callable[..., Lab], labs: RecordedLabs, tmp_path: Path
) -> None:
    labs.first = Acceleration.EMULATION
    run("no-kernel-line", "started")
    assert labs.came_up == [Acceleration.EMULATION, Acceleration.EMULATION]
    assert remembered(tmp_path) is None


def test_a_lab_is_made_again_only_once(run: Callable[..., Lab], labs: RecordedLabs) -> None:
    with pytest.raises(MachineFailed, match="paused on request"):
        run("no-kernel-line", "suspended")
    assert len(labs.came_up) == 2


def test_requested_kvm_is_never_replaced_by_emulation(run: Callable[..., Lab], labs: RecordedLabs) -> None:
    with pytest.raises(MachineFailed):
        run("no-kernel-line", accel_mode=AccelMode.KVM)
    assert labs.came_up == [Acceleration.KVM]


def test_a_machine_that_fails_after_its_start_is_made_again(labs: RecordedLabs, tmp_path: Path) -> None:
    """A kernel that panics much later is a reason, too; an ordinary error is none."""
    labs.recordings = ["started", "started"]
    request = LabRequest(directories=Directories.of(tmp_path), accel_mode=AccelMode.AUTO, kernel_seconds=KERNEL_SECONDS)

    def work(lab: Lab) -> str:
        console = lab.nodes[0].console
        if lab.acceleration is Acceleration.KVM:
            with console.log.open("a") as log:
                log.write("[  812.1] Kernel panic - not syncing: Attempted to kill init!\n")
        lab.watch.check()
        raise Problem(code="ordinary", title=f"under {lab.acceleration}")

    with pytest.raises(Problem, match="under tcg"):
        retry.run(request, work)
    assert len(labs.came_up) == 2


def test_a_machine_paused_on_request_after_its_start_is_not_made_again(labs: RecordedLabs, tmp_path: Path) -> None:
    labs.recordings = ["suspended-later"]
    request = LabRequest(directories=Directories.of(tmp_path), accel_mode=AccelMode.AUTO, kernel_seconds=KERNEL_SECONDS)
    retry.run(request, lambda lab: lab.watch.check())
    assert len(labs.came_up) == 1


def test_an_interruption_before_the_retry_takes_the_first_lab_down(labs: RecordedLabs, tmp_path: Path) -> None:
    labs.recordings = ["no-kernel-line"]
    request = LabRequest(directories=Directories.of(tmp_path), accel_mode=AccelMode.AUTO, kernel_seconds=KERNEL_SECONDS)

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        retry.run(request, lambda lab: lab, before_retry=interrupt)
    assert labs.came_down == 1
