"""Real machines that stop or never start are reported at once and made again under emulation."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.model.problems import Problem
from cli.command import run
from tests.fakes.system.processes import HEARS_SIGNALS
from tests.vm.labs import Labs, hypervisor
from vm_harness.lab import lab as lab_module
from vm_harness.lab import state as states
from vm_harness.lab import status
from vm_harness.lab.cluster import image
from vm_harness.lab.directories import Directories, cache
from vm_harness.lab.lab import Lab
from vm_harness.machine import machines
from vm_harness.machine.accel import Acceleration, AccelMode, Verdict
from vm_harness.machine.hypervisor import uri
from vm_harness.machine.lifecycle import MachineFailed
from vm_harness.machine.media import Medium
from vm_harness.machine.probe import live_system, verdicts
from vm_harness.machine.probe.verdicts import Subject, Verdicts

pytestmark = [pytest.mark.vm, pytest.mark.timeout(300)]

KERNEL = "[    0.000000] Linux version 0 (a boot sector)"


def virsh(directories: Directories, *command: str) -> None:
    subprocess.run(["virsh", "-c", uri(directories.runtime), *command], check=True, stdout=subprocess.DEVNULL)


def test_a_machine_suspended_before_its_first_line_is_made_again(labs: Labs, small_iso: Callable[..., Path]) -> None:
    """`lab up` as a user runs it. The kernel prints after five seconds; the first machine is suspended before that."""
    directories = labs.directories("suspended")
    log = directories.logs / "node0-serial.log"
    up = [*HEARS_SIGNALS, image.cluster0(), "lab", "up", "--dir", str(directories.inputs), "--medium", "usb"]
    try:
        up += ["--accel", "auto", "--iso", str(small_iso(KERNEL, 5))]
        with subprocess.Popen(up, stderr=subprocess.PIPE, text=True) as command:
            assert command.stderr
            printed = ""
            for line in command.stderr:
                if line.startswith("✓ machines") and "✓ machines" not in printed:
                    wait_until_running(directories)
                    virsh(directories, "suspend", "node0")
                printed += line
        assert command.returncode == 0, printed
    finally:
        existed = lab_module.down(directories)
    assert "node0: it was paused on request before its kernel started" in printed
    assert "The machines are made again, under emulation" in printed
    assert KERNEL in log.read_text()
    assert existed


def wait_until_running(directories: Directories) -> None:
    """Until libvirt reports the machine as running: `lab up` prints nothing within a step."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        argv = ["virsh", "-c", uri(directories.runtime), "domstate", "node0"]
        answer = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        if answer.stdout.strip() == "running":
            return
    raise AssertionError("node0 does not run")


def test_a_machine_without_a_kernel_line_is_reported_after_its_time_and_made_again_once(
    labs: Labs, small_iso: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(MachineFailed, match="no line of its kernel within 3 s of power on"):
        labs.bring_up(
            "no-kernel-line", iso=small_iso(""), medium=Medium.USB, accel_mode=AccelMode.AUTO, kernel_seconds=3.0
        )
    assert "The machines are made again, under emulation" in capsys.readouterr().err
    assert not lab_module.down(labs.directories("no-kernel-line")), "the failed lab was left behind"


def test_a_kvm_that_starts_no_guest_is_replaced_by_emulation_and_remembered(
    labs: Labs, small_iso: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remembered verdict says that KVM works, right or wrong; the machine runs in the end."""
    monkeypatch.setenv("CLUSTER0_CACHE", str(tmp_path / "cache"))
    iso = small_iso(KERNEL)
    with live_system.extracted(iso, tmp_path / "live") as live:
        assert live
        subject = Subject.of(machines.emulator(), states.boot_id(), live.digest)
    trusted = Verdict(True, "of a test")
    Verdicts(cache()).remember(subject, trusted)
    lab = labs.bring_up("trusting", iso=iso, medium=Medium.USB, accel_mode=AccelMode.AUTO)
    assert lab.node().console.kernel_seconds_left is None
    verdict = Verdicts(cache()).recall(subject)
    if lab.acceleration is Acceleration.KVM or not verdicts.DEVICE.exists():
        assert verdict == trusted
    else:
        assert verdict
        assert verdict.reason.startswith("a machine failed under KVM: node0: ")
    labs.take_down(lab)


@pytest.fixture
def running(labs: Labs, small_iso: Callable[..., Path]) -> Iterator[Lab]:
    lab = labs.bring_up("running", iso=small_iso(KERNEL), medium=Medium.USB, accel_mode=AccelMode.EMULATION)
    yield lab
    labs.take_down(lab)


def kill_qemu(lab: Lab) -> None:
    qemu = hypervisor(lab).process(lab.node().name)
    assert qemu
    qemu.kill()


def test_a_machine_that_qemu_stops_ends_a_wait_at_once(running: Lab) -> None:
    node = running.node()
    stop_soon = subprocess.Popen(
        ["sh", "-c", 'sleep 1; exec virsh -c "$0" qemu-monitor-command node0 --hmp stop', running.machines.uri],
        stdout=subprocess.DEVNULL,
    )
    before = time.monotonic()
    with pytest.raises(MachineFailed, match=r"QEMU has paused it by itself \(VM status: paused\)") as failed:
        node.wait_for_console_text("never", timeout=120)
    assert time.monotonic() - before < 20
    assert stop_soon.wait() == 0
    assert KERNEL in failed.value.detail


def test_a_machine_whose_qemu_is_killed_is_a_failure(running: Lab) -> None:
    node = running.node()
    kill_qemu(running)
    with pytest.raises(MachineFailed, match="QEMU has ended without a request"):
        node.wait_for_console_text("never", timeout=120)


def test_a_pause_on_request_after_the_kernel_has_started_is_no_failure(running: Lab) -> None:
    virsh(running.directories, "suspend", "node0")
    running.watch.check()
    assert status.of(running).machines[0].power == "paused"
    virsh(running.directories, "resume", "node0")


def test_a_command_ends_when_the_machine_it_is_for_fails(running: Lab) -> None:
    """SSH itself would notice only at its own deadline."""
    kill_qemu(running)
    before = time.monotonic()
    with pytest.raises(MachineFailed):
        run(["sleep", "100"], timeout=60, while_waiting=running.watch.check)
    assert time.monotonic() - before < 20


def test_a_libvirtd_that_is_gone_ends_a_wait_at_once(labs: Labs, small_iso: Callable[..., Path]) -> None:
    lab = labs.bring_up("orphaned", iso=small_iso(KERNEL), medium=Medium.USB, accel_mode=AccelMode.EMULATION)
    before = time.monotonic()
    assert lab.state.libvirtd
    lab.state.libvirtd.kill()
    with pytest.raises(Problem, match="libvirtd is gone"):
        lab.node().wait_for_console_text("never", timeout=60)
    assert time.monotonic() - before < 20
    labs.take_down(lab)
