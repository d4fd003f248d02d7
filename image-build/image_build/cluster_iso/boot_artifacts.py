"""`DIR/boot-artifacts`: the files that a web server serves to hosts that boot without the full ISO."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agent.install.layout import INSTALL_ARGUMENT
from agent.model.write_errors import report_write_errors
from image_build.cluster_iso.file_copy import copy_range
from image_build.cluster_iso.network_medium import SERVED
from image_build.cluster_iso.whole_file import check_place, whole_file
from image_build.iso_format import kargs
from image_build.iso_format.reader import BaseIso
from image_build.iso_format.release import INITRAMFS, KERNEL

CONFIGURATION = "agent.x86_64-ignition.img"
SCRIPT = "agent.x86_64.ipxe"


def write_served_files(base: BaseIso, directory: Path) -> tuple[Path, ...]:
    """The files without secrets, copied from the base ISO. Problem: `no-space`, `output-not-writable`."""
    with report_write_errors(directory):
        directory.mkdir(exist_ok=True)
    check_place(directory / SERVED[KERNEL], sum(base.files[path].size for path in SERVED))
    with base.path.open("rb") as source:
        for path, name in SERVED.items():
            extent = base.files[path]
            with whole_file(directory / name, extent.size, mode=0o644) as target:
                copy_range(source, target, extent.offset, extent.size)
    return tuple(directory / name for name in SERVED.values())


def write_ipxe_files(
    directory: Path, second: bytes, *, cluster: str, base_url: str, kernel_arguments: Iterable[str]
) -> tuple[Path, ...]:
    """`second`: from `second_initramfs`; its file is of mode 0600, because it contains secrets."""
    with whole_file(directory / CONFIGURATION, len(second)) as target:
        target.write(second)
    script = ipxe_script(cluster=cluster, base_url=base_url, kernel_arguments=kernel_arguments).encode()
    with whole_file(directory / SCRIPT, len(script), mode=0o644) as target:
        target.write(script)
    return directory / CONFIGURATION, directory / SCRIPT


def ipxe_script(*, cluster: str, base_url: str, kernel_arguments: Iterable[str]) -> str:
    """https://ipxe.org/scripting. `initrd=` is for a kernel that UEFI starts; BIOS gets both archives anyway.

    `again` is empty unless a line of the user's sets it.
    """
    images = (SERVED[INITRAMFS], CONFIGURATION)
    arguments = " ".join([
        *(f"initrd={image}" for image in images), kargs.NETWORK_MEDIUM, kargs.LIVE, *kernel_arguments, "${again}",
    ])  # fmt: skip
    lines = (
        "#!ipxe",
        f"# Installs {cluster}. Made by `cluster0 create pxe-files`: hosts accept only the files made with it.",
        f"set base {base_url}",
        "# An installed host goes on from its disk. The next line without its # installs it again, once for each WORD;",
        "# the line after it does so for one host, by its MAC.",
        f"#set again {INSTALL_ARGUMENT}WORD",
        f"#iseq ${{net0/mac}} 52:54:00:00:00:01 && set again {INSTALL_ARGUMENT}WORD ||",
        f"kernel ${{base}}/{SERVED[KERNEL]} {arguments}",
        *(f"initrd ${{base}}/{image}" for image in images),
        "boot",
    )
    return "".join(f"{line}\n" for line in lines)
