"""GRUB's configuration files on an installed disk. Pure.

`grub.cfg` is read by three GRUBs: the disk's own under BIOS, Debian's signed one under UEFI, and the ISO's, when it
finds that this host is installed. All of them have `$root` set to the boot partition by then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.install.layout import SLOT, Layout, Part

# A word of the kernel command line that is one word to GRUB's shell as well.
_PLAIN = re.compile(r"[A-Za-z0-9._,:/=+@%-]+")
# What belongs to one boot and not to the machine.
_OF_THIS_BOOT = ("cluster0.", "ignition.", "BOOT_IMAGE=", "initrd=")


def kernel_arguments(layout: Layout, live: str, of_host: Sequence[str] = ()) -> tuple[str, ...]:
    """Arguments of the installed system: our mounts, then what `live`, the running kernel's command line, adds.

    So consoles, and all arguments that made the live system work on this machine, stay. Arguments of this host come
    last, so they override the others.
    """
    kept = [word for word in live.split() if _PLAIN.fullmatch(word) and not word.startswith(_OF_THIS_BOOT)]
    return (
        f"cluster0.medium=UUID={layout.guid(Part.BOOT)}",
        f"cluster0.image={SLOT}/rootfs.img",
        f"cluster0.state=UUID={layout.guid(Part.STATE)}",
        *kept,
        *(word for word in of_host if word not in kept),
    )


def menu(arguments: Iterable[str]) -> str:
    """`grub/grub.cfg` of the boot partition."""
    return f"""\
set timeout=1
set default=a
if serial --unit=0 --speed=115200; then
    terminal_input serial console
    terminal_output serial console
fi
menuentry "cluster0" --id a {{
    linux /{SLOT}/vmlinuz {" ".join(arguments)}
    initrd /{SLOT}/initrd.img
}}
"""


@dataclass(frozen=True)
class Entry:
    """What GRUB starts. `kernel`, `initramfs`: paths on the boot partition, without the first slash."""

    kernel: str
    initramfs: str
    arguments: str


def entry(text: str) -> Entry:
    """The first entry of a `grub.cfg` that `menu` has written. Raises ValueError."""
    kernel = re.search(r"^ *linux /(\S+) (.+)$", text, flags=re.MULTILINE)
    initramfs = re.search(r"^ *initrd /(\S+)$", text, flags=re.MULTILINE)
    if kernel is None or initramfs is None:
        raise ValueError("its grub.cfg names no kernel or no initramfs")
    return Entry(kernel[1], initramfs[1], kernel[2])


def efi_stub(layout: Layout) -> str:
    """`EFI/debian/grub.cfg` of the EFI system partition, which Debian's signed GRUB reads first."""
    return f"""\
search --no-floppy --fs-uuid --set=root {layout.guid(Part.BOOT)}
set prefix=($root)/grub
configfile /grub/grub.cfg
"""
