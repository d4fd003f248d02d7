"""The GRUB configuration of an installed disk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agent.install import grub
from agent.install.boot import efi_entries
from agent.install.layout import Layout
from tests.fakes.inputs.intents import CLUSTER_ID

LAYOUT = Layout(disk="/dev/vda", cluster_id=CLUSTER_ID, host_id="5a1f0c9e-6f0e-4a58-9a0a-7d2f1c0b3e99")
LIVE = (
    "BOOT_IMAGE=/live/vmlinuz cluster0.medium=LABEL=CLUSTER0-1 cluster0.image=live/rootfs.img ignition.firstboot=1 "
    "ignition.platform.id=metal console=tty0 console=ttyS0,115200n8 loglevel=4 audit=0 mitigations=off $(evil) a;b\n"
)


def test_the_grub_menu_is_golden(golden: Callable[[str, str], None]) -> None:
    golden("install/grub.cfg", grub.menu(grub.kernel_arguments(LAYOUT, LIVE)))


def test_the_efi_grub_stub_is_golden(golden: Callable[[str, str], None]) -> None:
    golden("install/efi-grub.cfg", grub.efi_stub(LAYOUT))


def test_the_entry_of_a_menu_is_what_grub_starts() -> None:
    arguments = grub.kernel_arguments(LAYOUT, LIVE)
    entry = grub.entry(grub.menu(arguments))
    assert entry == grub.Entry("slots/a/vmlinuz", "slots/a/initrd.img", " ".join(arguments))


def test_a_menu_without_a_kernel_has_no_entry() -> None:
    with pytest.raises(ValueError, match="no kernel"):
        grub.entry("set timeout=1\n")


def test_installed_kernel_arguments_keep_hardware_options_and_drop_live_boot_options() -> None:
    kept = grub.kernel_arguments(LAYOUT, LIVE)[3:]
    assert kept == ("console=tty0", "console=ttyS0,115200n8", "loglevel=4", "audit=0", "mitigations=off")


def test_kernel_arguments_of_a_host_come_last_and_once() -> None:
    kept = grub.kernel_arguments(LAYOUT, LIVE, ("audit=0", "hugepages=16"))[3:]
    assert kept == (
        "console=tty0",
        "console=ttyS0,115200n8",
        "loglevel=4",
        "audit=0",
        "mitigations=off",
        "hugepages=16",
    )


def test_only_our_efi_entries_are_recognised() -> None:
    listing = (
        "BootCurrent: 0001\nTimeout: 0 seconds\nBootOrder: 0001,0003\n"
        "Boot0001* UEFI QEMU DVD-ROM QM00003 \tPciRoot(0x0)/Pci(0x1f,0x2)\n"
        "Boot0003* cluster0\tHD(2,GPT,0b730c5e)/File(\\EFI\\BOOT\\BOOTX64.EFI)\n"
        "Boot0004  cluster0\n"
        "Boot0005* cluster0-other\tHD(1)\n"
    )
    assert efi_entries(listing) == ["0003", "0004"]
