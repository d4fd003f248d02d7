"""Making a disk bootable: the loaders first, then the marker; a failure before the marker leaves the disk unmarked."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.install.boot import make_bootable
from agent.install.layout import Layout
from agent.install.mounts import WORKSHOP
from agent.machine import Machine, ProcessFailed
from tests.fakes.agent.machine import Programs, machine_in
from tests.fakes.inputs.intents import CLUSTER_ID

LAYOUT = Layout(disk="/dev/vda", cluster_id=CLUSTER_ID, host_id="5a1f0c9e-6f0e-4a58-9a0a-7d2f1c0b3e99")
BOOT, ESP = f"{WORKSHOP}/boot", f"{WORKSHOP}/esp"
SIGNED = (
    "/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed",
    "/usr/lib/shim/mmx64.efi.signed",
    "/usr/lib/shim/shimx64.efi.signed",
)
EFI_VARIABLES = "/sys/firmware/efi/efivars"
BOOT_ENTRIES = r"""
case "$*" in
    "") echo 'Boot0001* UEFI DVD'; echo 'Boot0007* cluster0' ;;
    --create*) echo 'Boot0001* UEFI DVD'; echo 'Boot0009* cluster0' ;;
esac
"""


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    """`mount` does nothing; `umount` moves the files below the mount point to `kept`."""
    programs = Programs(tmp_path / "bin")
    kept = tmp_path / "kept"
    kept.mkdir()
    programs.add("umount", f'mkdir {kept}/$(basename "$1"); mv "$1"/* {kept}/$(basename "$1")')
    for name in ("mount", "sync", "grub-install", "efibootmgr"):
        programs.add(name)
    return programs


@pytest.fixture
def machine(tmp_path: Path, programs: Programs) -> Machine:
    machine = machine_in(tmp_path)
    machine.files.write("/proc/cmdline", "cluster0.medium=LABEL=X console=ttyS0,115200n8\n")
    for path in SIGNED:
        machine.files.write(path, path)
    return machine


async def test_bios_and_uefi_loaders_are_installed_before_the_marker(
    machine: Machine, programs: Programs, tmp_path: Path
) -> None:
    boot = machine.files.at(BOOT)
    programs.add("grub-install", f"ls {boot}/grub/grub.cfg && ! test -e {boot}/cluster0")
    await make_bootable(machine, LAYOUT)
    esp, boot = tmp_path / "kept/esp", tmp_path / "kept/boot"
    assert {str(path.relative_to(esp)) for path in esp.rglob("*") if path.is_file()} == {
        "EFI/BOOT/BOOTX64.EFI",
        "EFI/BOOT/grubx64.efi",
        "EFI/BOOT/mmx64.efi",
        "EFI/debian/grub.cfg",
    }
    assert (esp / "EFI/BOOT/BOOTX64.EFI").read_text() == SIGNED[-1]
    assert (boot / f"cluster0/installed-{CLUSTER_ID}").exists()
    names = [call.split()[0] for call in programs.calls]
    assert names.index("grub-install") < names.index("umount")
    assert names[-2:] == ["sync", "umount"]


async def test_the_marker_keeps_the_word_that_requested_the_install(machine: Machine, tmp_path: Path) -> None:
    machine.files.write("/proc/cmdline", "cluster0.install=first cluster0.install=second quiet\n")
    await make_bootable(machine, LAYOUT)
    assert (tmp_path / "kept/boot" / LAYOUT.marker).read_text() == "second"


async def test_a_failed_grub_install_leaves_no_marker_and_no_mount(
    machine: Machine, programs: Programs, tmp_path: Path
) -> None:
    programs.add("grub-install", "echo 'cannot find a device' >&2; exit 1")
    with pytest.raises(ProcessFailed, match="grub-install"):
        await make_bootable(machine, LAYOUT)
    assert not (tmp_path / "kept/boot/cluster0").exists()
    assert not machine.files.names(WORKSHOP)


async def test_under_uefi_our_boot_entry_is_replaced_and_boots_next(machine: Machine, programs: Programs) -> None:
    machine.files.at(EFI_VARIABLES).mkdir(parents=True)
    programs.add("efibootmgr", BOOT_ENTRIES)
    await make_bootable(machine, LAYOUT)
    assert [call for call in programs.calls if call.startswith("efibootmgr")] == [
        "efibootmgr ",
        "efibootmgr --bootnum 0007 --delete-bootnum",
        r"efibootmgr --create --disk /dev/vda --part 2 --label cluster0 --loader \EFI\BOOT\BOOTX64.EFI",
        "efibootmgr --bootnext 0009",
    ]


async def test_firmware_that_refuses_an_entry_is_only_a_warning(
    machine: Machine, programs: Programs, caplog: pytest.LogCaptureFixture
) -> None:
    machine.files.at(EFI_VARIABLES).mkdir(parents=True)
    programs.add("efibootmgr", "echo 'No space left on device' >&2; exit 5")
    await make_bootable(machine, LAYOUT)
    assert "No space left on device" in caplog.text
