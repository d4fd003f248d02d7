"""Our own Python code in the image: the packages that hosts run, and a command for each program (docs/design/boot.md).

libnmstate is copied with them, because Debian does not have it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from agent.model.problems import Problem
from image_build.base_iso.chroot import Chroot
from image_build.base_iso.debian_root import compile_python
from image_build.base_iso.trees import lay_over, put_text
from image_build.ingredients import package_directory

PACKAGES = ("agent", "node0", "ignition", "libnmstate")
_LIBRARY = "/usr/lib/cluster0"
_COMMANDS = {"cluster0-agent": "agent", "cluster0-node0": "node0"}

# -P: nothing is imported from the current directory. SSL_CERT_FILE: our programs trust the CAs of the cluster and no
# other; at its import aiohttp would load those of Debian, and keep them (2 MB). What the programs start
# does not inherit it.
_WRAPPER = """#!/bin/sh
export SSL_CERT_FILE=/dev/null
exec /usr/bin/python3 -P -m {module} "$@"
"""


def install_programs(chroot: Chroot) -> None:
    for package in PACKAGES:
        lay_over(package_directory(package), chroot.path(f"{_LIBRARY}/{package}"))
    put_text(f"{_LIBRARY}\n", chroot.path("/usr/lib/python3/dist-packages/cluster0.pth"))
    for command, module in _COMMANDS.items():
        put_text(_WRAPPER.format(module=module), chroot.path(f"/usr/bin/{command}"), 0o755)
    compile_python(chroot, _LIBRARY)


def require_libnmstate() -> None:
    """Problem: `library-missing`."""
    if find_spec("libnmstate") is None:
        raise Problem(
            code="library-missing",
            title="libnmstate, which goes into the image, is not installed.",
            # --no-deps: its dependencies come from Debian, or are on no registry; see agent.machine.libnmstate.
            remedy="pip install --no-deps nmstate==2.0.0",
        )


def sources() -> list[Path]:
    """The directories that `install_programs` copies."""
    return [package_directory(package) for package in PACKAGES]
