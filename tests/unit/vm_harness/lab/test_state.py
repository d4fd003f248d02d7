"""The state of a lab as another process reads it, also when it is stale or damaged."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from agent.model.problems import Problem
from vm_harness.lab import leftovers
from vm_harness.lab import state as states
from vm_harness.lab.directories import Directories
from vm_harness.lab.state import LabPhase, LabState
from vm_harness.machine.accel import Acceleration
from vm_harness.machine.cpu import CpuModel
from vm_harness.machine.domain import Disk, Domain
from vm_harness.machine.firmware import Firmware
from vm_harness.machine.machines import LabMachine
from vm_harness.machine.media import Medium
from vm_harness.network.namespace import Namespace
from vm_harness.processes import ProcessId


@pytest.fixture
def directories(tmp_path: Path) -> Directories:
    directories = Directories.of(tmp_path)
    directories.root.mkdir()
    return directories


def recorded(directories: Directories) -> LabState:
    root = directories.root
    domain = Domain(
        name="node0", uuid=UUID(int=1), memory_mib=64, vcpus=1, acceleration=Acceleration.EMULATION,
        cpu=CpuModel(mode="maximum"), firmware=Firmware.UEFI, nvram=root / "nvram", disks=(Disk(root / "disk", "sda"),),
        medium=None, medium_kind=Medium.USB, macs=("52:54:00:00:00:01",), bridges=("lab0",),
        serial_log=root / "serial.log", emulator=Path("/usr/bin/qemu"),
    )  # fmt: skip
    return LabState(
        id=directories.id, boot_id=states.boot_id(), phase=LabPhase.UP, acceleration=Acceleration.EMULATION,
        namespace=Namespace("lab-test", 1, 1), libvirtd=ProcessId.of(os.getpid()),
        machines=(LabMachine(domain, "192.168.126.10"),),
    )  # fmt: skip


def test_a_saved_state_is_loaded_until_it_is_forgotten(directories: Directories) -> None:
    state = recorded(directories)
    states.save(directories, state)
    assert states.load(directories) == state
    states.forget(directories)
    assert states.load(directories) is None


def test_a_damaged_state_is_reported_with_the_name_of_its_namespace(directories: Directories) -> None:
    (directories.root / "state.json").write_text('{"schema": 1, "id": ')
    with pytest.raises(Problem, match=r"state\.json") as unreadable:
        states.load(directories)
    assert f"lab-{directories.id}" in unreadable.value.remedy


def test_a_lab_is_not_up_without_its_namespace(directories: Directories) -> None:
    assert not recorded(directories).is_up


def test_a_lab_of_an_earlier_boot_is_not_up(directories: Directories) -> None:
    assert not msgspec.structs.replace(recorded(directories), boot_id="earlier").is_of_this_boot


def test_leftovers_of_an_earlier_boot_are_removed_and_no_process_is_ended(directories: Directories) -> None:
    """The recorded libvirtd is this test's own process, which would not survive a mistake."""
    stale = msgspec.structs.replace(recorded(directories), boot_id="earlier")
    states.save(directories, stale)
    directories.disks.mkdir()
    (directories.disks / "node0.img").touch()
    assert leftovers.lab_exists(directories)
    leftovers.remove(directories)
    assert not directories.disks.exists()
    assert not leftovers.lab_exists(directories)


def test_labs_of_two_directories_have_different_ids_and_sockets(tmp_path: Path) -> None:
    one, other = Directories.of(tmp_path / "one"), Directories.of(tmp_path / "other")
    assert one.id != other.id
    assert one.runtime != other.runtime
    assert len(os.fspath(one.runtime / "libvirt-sock-ro")) < 100
