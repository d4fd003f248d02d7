"""The lab itself with a guest of forty bytes: up, opened again, power cut, down; nothing is left after a crash."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from agent.model.problems import Problem
from cli.command import run
from tests.fakes.system.processes import HEARS_SIGNALS
from tests.vm.labs import Labs, hypervisor
from vm_harness.lab import lab, leftovers
from vm_harness.lab.cluster import image
from vm_harness.lab.directories import Directories
from vm_harness.machine.media import Medium
from vm_harness.network.namespace import Namespace

pytestmark = [pytest.mark.vm, pytest.mark.timeout(300)]

UP = r"tiny guest is up"


def start_command(directories: Directories, iso: Path) -> subprocess.Popen[str]:
    argv: list[str | Path] = [
        *HEARS_SIGNALS,
        image.cluster0(),
        "lab",
        "up",
        "--dir",
        directories.inputs,
        "--iso",
        iso,
        "--medium",
        "usb",
    ]
    return subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)


def read_until(process: subprocess.Popen[str], text: str) -> None:
    assert process.stderr
    for line in process.stderr:
        if text in line:
            return
    raise AssertionError(f"ended without {text!r}")


def is_gone(directories: Directories) -> bool:
    return not leftovers.lab_exists(directories) and not directories.runtime.exists() and not directories.disks.exists()


def test_a_guest_boots_again_after_a_power_cut(labs: Labs, tiny_guest: Path) -> None:
    node = labs.bring_up(iso=tiny_guest, medium=Medium.USB).node()
    node.wait_for_console_text(UP, timeout=60)
    node.crash()
    assert not node.machine.is_on()
    with pytest.raises(Problem, match="machine is off"):
        node.wait_for_console_text("never", timeout=60)
    node.start()
    node.wait_for_console_text(UP, timeout=60)


def test_a_lab_that_is_up_can_be_opened_again(labs: Labs) -> None:
    found = lab.open_lab(labs.directories())
    assert found.node("node0").machine.is_on()
    with pytest.raises(Problem, match="no host node7") as refused:
        found.node("node7")
    assert "node0" in refused.value.remedy
    found.close()


def test_a_second_lab_up_is_refused_and_the_first_lab_stays_up(labs: Labs, tiny_guest: Path) -> None:
    with pytest.raises(Problem) as refused:
        labs.bring_up(iso=tiny_guest)
    assert refused.value.code == "lab-already-up"
    with lab.opened(labs.directories()) as first:
        assert first.node().machine.is_on()


def test_a_screenshot_is_a_png(labs: Labs, tmp_path: Path) -> None:
    picture = tmp_path / "screen.png"
    labs.running[0].node().screenshot(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_lab_down_leaves_only_the_logs(labs: Labs) -> None:
    directories = labs.directories()
    namespace = labs.running[0].namespace
    labs.take_down(labs.running[0])
    assert is_gone(directories)
    assert not namespace.exists()
    assert UP in (directories.logs / "node0-serial.log").read_text()
    assert lab.down(directories) is False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_lab_up_removes_everything(how: signal.Signals, labs: Labs, tiny_guest: Path) -> None:
    directories = labs.directories(f"interrupted-{how}")
    with start_command(directories, tiny_guest) as command:
        read_until(command, "✓ network namespace")
        command.send_signal(how)
        command.communicate(timeout=60)
    assert command.returncode == 130
    assert is_gone(directories)


def test_lab_up_removes_what_a_killed_one_left(labs: Labs, tiny_guest: Path) -> None:
    directories = labs.directories("killed")
    with start_command(directories, tiny_guest) as command:
        read_until(command, "✓ libvirtd")
        command.kill()
    assert leftovers.lab_exists(directories)
    left = Namespace.find(leftovers.namespace_name(directories))
    node = labs.bring_up("killed", iso=tiny_guest, medium=Medium.USB).node()
    node.wait_for_console_text(UP, timeout=60)
    assert left
    assert not left.exists()


@pytest.mark.parametrize("medium", [Medium.CDROM, Medium.USB])
def test_a_machine_that_is_off_loses_its_medium(medium: Medium, labs: Labs, tiny_guest: Path) -> None:
    up = labs.bring_up(f"off-{medium}", iso=tiny_guest, medium=medium)
    node, list_disks = up.node(), ["virsh", "-c", hypervisor(up).uri, "domblklist", "node0"]
    node.crash()
    assert ".img" in run(list_disks, timeout=30).stdout.partition("sdf")[2]
    node.eject_medium()
    assert ".img" not in run(list_disks, timeout=30).stdout.partition("sdf")[2]
    node.start()


def test_lab_down_ends_the_machine_of_a_killed_libvirtd(labs: Labs, tiny_guest: Path) -> None:
    orphaned = labs.bring_up("orphaned", iso=tiny_guest, medium=Medium.USB)
    qemu = hypervisor(orphaned).process("node0")
    assert qemu
    assert orphaned.state.libvirtd
    orphaned.state.libvirtd.kill()
    assert qemu.is_alive()
    labs.take_down(orphaned)
    assert not qemu.is_alive()
    assert is_gone(orphaned.directories)


def test_lab_down_ends_no_process_outside_the_labs_namespace(labs: Labs, tiny_guest: Path) -> None:
    """A pid file names a process outside of the lab's namespace: this one."""
    fooled = labs.bring_up("fooled", iso=tiny_guest, medium=Medium.USB)
    fooled.node().crash()
    (fooled.directories.runtime / "run/qemu/stranger.pid").write_text(str(os.getpid()))
    labs.take_down(fooled)
    assert is_gone(fooled.directories)
