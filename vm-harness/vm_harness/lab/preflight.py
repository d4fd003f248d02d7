"""Whether the lab can start here: all that is missing, in one error, before anything is changed."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.lab.request import LabRequest
from vm_harness.machine.firmware import UEFI_CODE, UEFI_VARIABLES, Firmware
from vm_harness.machine.machines import EMULATOR

PACKAGES = {
    "ip": "iproute2",
    "libvirtd": "libvirt-daemon-system",
    "virsh": "libvirt-clients",
    EMULATOR: "qemu-system-x86",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "xorriso": "xorriso",
}
"""Program that the lab runs → its Debian package."""
WRITTEN_BYTES = 8 << 30
"""Space that one machine's disk takes during an install and some time after, rounded up."""
TUN = Path("/dev/net/tun")


def check(request: LabRequest, machines: int) -> None:
    """Raises `Problem` (`lab-preflight`) that lists everything missing."""
    missing_packages = sorted(set(_missing_packages(request.firmware)))
    obstacles = [*_missing_programs(), *_obstacles(request, machines)]
    if not obstacles and not missing_packages:
        return
    install = f"apt-get install {' '.join(missing_packages)}" if missing_packages else ""
    raise Problem(
        code="lab-preflight", title="the lab cannot start here", remedy=install,
        detail="\n".join(f"- {obstacle}" for obstacle in obstacles),
    )  # fmt: skip


def _missing_packages(firmware: Firmware) -> Iterator[str]:
    yield from (package for program, package in PACKAGES.items() if shutil.which(program) is None)
    if importlib.util.find_spec("libvirt") is None:
        yield "python3-libvirt"
    if _lacks_ovmf(firmware):
        yield "ovmf"


def _missing_programs() -> Iterator[str]:
    yield from (f"{program} is not installed" for program in PACKAGES if shutil.which(program) is None)
    if importlib.util.find_spec("libvirt") is None:
        yield "this Python cannot import libvirt (it comes from Debian; a venv needs --system-site-packages)"


def _lacks_ovmf(firmware: Firmware) -> bool:
    return firmware is Firmware.UEFI and not (UEFI_CODE.exists() and UEFI_VARIABLES.exists())


def _obstacles(request: LabRequest, machines: int) -> Iterator[str]:
    if os.geteuid() != 0:
        yield "not run as root: network namespaces and bridges need it (use sudo)"
    if not TUN.exists():
        yield f"there is no {TUN}, so the machines cannot be connected"
    if _lacks_ovmf(request.firmware):
        yield f"UEFI needs {UEFI_CODE}"
    for iso in (request.iso, request.base_iso):
        if iso is not None and not iso.is_file():
            yield f"{iso} is not a file"
    free = shutil.disk_usage(request.directories.inputs).free
    if free < machines * WRITTEN_BYTES:
        needed = machines * WRITTEN_BYTES >> 20
        yield f"{request.directories.inputs} has {free >> 20} MiB free, {machines} machine(s) write up to {needed}"
    memory = _available_memory_mib()
    if memory < machines * request.memory_mib:
        yield f"{memory} MiB of memory are available, {machines} machine(s) take {machines * request.memory_mib}"


def _available_memory_mib() -> int:
    """MemAvailable of /proc/meminfo, see proc(5)."""
    fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    return int(fields["MemAvailable"].split()[0]) >> 10
