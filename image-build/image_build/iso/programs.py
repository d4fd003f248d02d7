"""Our own Python in the image: the packages that a host runs, and a command for each program (DESIGN.md, section 5)."""

from __future__ import annotations

from pathlib import Path

from image_build.ingredients import package_directory
from image_build.iso.chroot import Chroot
from image_build.iso.debian_root import compile_python
from image_build.iso.trees import lay_over, put_text

PACKAGES = ("agent", "node0", "ignition")
_LIBRARY = "/usr/lib/cluster0"
_COMMANDS = {"cluster0-agent": "agent", "cluster0-node0": "node0"}

# -P: what lies in the current directory is not imported.
_WRAPPER = """#!/bin/sh
exec /usr/bin/python3 -P -m {module} "$@"
"""


def install_programs(chroot: Chroot) -> None:
    for package in PACKAGES:
        lay_over(package_directory(package), chroot.path(f"{_LIBRARY}/{package}"))
    put_text(f"{_LIBRARY}\n", chroot.path("/usr/lib/python3/dist-packages/cluster0.pth"))
    for command, module in _COMMANDS.items():
        put_text(_WRAPPER.format(module=module), chroot.path(f"/usr/bin/{command}"), 0o755)
    compile_python(chroot, _LIBRARY)


def sources() -> list[Path]:
    """The directories that `install_programs` copies."""
    return [package_directory(package) for package in PACKAGES]
