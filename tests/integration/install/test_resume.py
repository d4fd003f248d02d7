"""A power cut on node0 after its disk was written: the next boot's agent goes on with a real file system, or not."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.install import resume
from agent.install.control_plane import is_written
from agent.install.layout import Layout, Part
from agent.machine import Files, Machine, Processes
from agent.model.host_paths import INTENT_FILE, NODE0_DATABASE, STATE_MOUNT
from replay.site import host_intent, make_intent
from tests.fakes.agent.machine import Programs
from tests.fakes.system.loop_disk import loop_disk

pytestmark = pytest.mark.integration

INTENT = make_intent(hosts=(host_intent(),))
HOST_ID = "5a1f0c9e-6f0e-4a58-9a0a-7d2f1c0b3e99"
STATE = Layout(disk="", cluster_id=INTENT.cluster_id, host_id=HOST_ID).guid(Part.STATE)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    programs = Programs(tmp_path / "bin")
    programs.add("systemctl")
    return programs


@pytest.fixture
def machine(tmp_path: Path, programs: Programs) -> Iterator[Machine]:
    """With the state file system of this host of this cluster on a disk."""
    machine = Machine(
        files=Files(tmp_path / "root"),
        processes=Processes({"PATH": f"{programs.directory}:/usr/sbin:/usr/bin:/sbin:/bin"}),
    )
    machine.files.write("/sys/class/dmi/id/product_uuid", HOST_ID)
    machine.files.write(INTENT_FILE, "the inputs")
    with loop_disk(tmp_path, 64 << 20) as disk:
        subprocess.run(["mkfs.ext4", "-q", "-U", STATE, disk], check=True)
        link = machine.files.at(f"/dev/disk/by-uuid/{STATE}")
        link.parent.mkdir(parents=True)
        link.symlink_to(disk)
        yield machine
        subprocess.run(["umount", machine.files.at(STATE_MOUNT)], check=False, capture_output=True)


async def interrupted(machine: Machine, *, has_database: bool = True) -> None:
    """An install had come to its bootstrap when the power went."""
    await mount(machine)
    resume.allow(machine)
    if has_database:
        machine.files.write(STATE_MOUNT + NODE0_DATABASE, "")
    await unmount(machine)


async def mount(machine: Machine) -> None:
    machine.files.at(STATE_MOUNT).mkdir(parents=True, exist_ok=True)
    device = machine.files.at(f"/dev/disk/by-uuid/{STATE}")
    await machine.processes.run(["mount", str(device), str(machine.files.at(STATE_MOUNT))])


async def unmount(machine: Machine) -> None:
    await machine.processes.run(["umount", str(machine.files.at(STATE_MOUNT))])


async def test_a_reboot_with_the_same_iso_resumes_the_install(machine: Machine, programs: Programs) -> None:
    await interrupted(machine)
    await resume.resume(machine, INTENT)
    assert is_written(machine)
    assert programs.calls == ["systemctl start cluster0-state.target"]
    await resume.resume(machine, INTENT)  # the agent was started again
    assert programs.calls == ["systemctl start cluster0-state.target"]


async def test_a_reboot_with_other_inputs_starts_the_install_over(machine: Machine, programs: Programs) -> None:
    await interrupted(machine)
    machine.files.write(INTENT_FILE, "corrected inputs")
    await resume.resume(machine, INTENT)
    assert not is_written(machine)
    assert programs.calls == []


async def test_a_power_cut_before_the_database_has_moved_starts_the_install_over(machine: Machine) -> None:
    """A service with an empty database would find its own disk in use."""
    await interrupted(machine, has_database=False)
    await resume.resume(machine, INTENT)
    assert not is_written(machine)


async def test_an_install_that_failed_or_was_not_so_far_starts_over(machine: Machine) -> None:
    await resume.resume(machine, INTENT)
    assert not is_written(machine)
    await mount(machine)
    resume.allow(machine)
    resume.forbid(machine)
    await unmount(machine)
    await resume.resume(machine, INTENT)
    assert not is_written(machine)


async def test_a_damaged_file_system_starts_the_install_over(machine: Machine) -> None:
    machine.files.at(f"/dev/disk/by-uuid/{STATE}").write_bytes(b"\0" * (1 << 20))
    await resume.resume(machine, INTENT)
    assert not is_written(machine)
