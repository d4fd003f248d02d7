"""Whether the lab can start here: all that is missing, in one error, before anything is changed."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.container.control_groups import Hierarchies
from vm_harness.lab.request import LabRequest, MachineKind
from vm_harness.machine.firmware import Firmware, missing_files
from vm_harness.machine.machines import EMULATOR
from vm_harness.machine.media import Medium

PACKAGES = {"ip": "iproute2", "ssh": "openssh-client", "ssh-keygen": "openssh-client", "xorriso": "xorriso"}
"""Program that the lab runs → its Debian package."""
VM_PACKAGES = PACKAGES | {
    "libvirtd": "libvirt-daemon-system",
    "virsh": "libvirt-clients",
    EMULATOR: "qemu-system-x86",
}
CONTAINER_PACKAGES = PACKAGES | {
    "systemd-nspawn": "systemd-container",
    "mksquashfs": "squashfs-tools",
    "losetup": "mount",
    "partx": "util-linux",
    "fsck.ext4": "e2fsprogs",
    "cpio": "cpio",
    "socat": "socat",
}
WRITTEN_BYTES = 8 << 30
"""Space that one machine's disk takes during an install and some time after, rounded up."""
CONTAINER_MIB = 2048
"""Memory that a container takes, at most: a control plane with its page cache. What it reports is a limit."""
TUN = Path("/dev/net/tun")
FILE_SYSTEMS = ("squashfs", "overlay", "ext4")
"""What a container's root file system is made of."""


def check(request: LabRequest, machines: int) -> None:
    """Raises `Problem` (`lab-preflight`) that lists everything missing."""
    of_kind = _of_containers if request.machines is MachineKind.CONTAINER else _of_virtual_machines
    missing_packages, obstacles = of_kind(request)
    obstacles += _obstacles(request, machines)
    if not obstacles and not missing_packages:
        return
    install = f"apt-get install {' '.join(sorted(set(missing_packages)))}" if missing_packages else ""
    raise Problem(
        code="lab-preflight", title="the lab cannot start here", remedy=install,
        detail="\n".join(f"- {obstacle}" for obstacle in obstacles),
    )  # fmt: skip


def _of_virtual_machines(request: LabRequest) -> tuple[list[str], list[str]]:
    """Debian packages to install, and obstacles, of this kind of machine."""
    packages, obstacles = _missing(VM_PACKAGES)
    if importlib.util.find_spec("libvirt") is None:
        packages.append("python3-libvirt")
        obstacles.append(
            "this Python cannot import libvirt (it comes from Debian; a venv needs --system-site-packages)"
        )
    if not TUN.exists():
        obstacles.append(f"there is no {TUN}, so the machines cannot be connected")
    for path in missing_files(request.firmware):
        packages.append("ovmf")
        obstacles.append(f"the firmware {request.firmware} needs {path}")
    return packages, obstacles


def _of_containers(request: LabRequest) -> tuple[list[str], list[str]]:
    """Debian packages to install, and obstacles, of this kind of machine."""
    packages, obstacles = _missing(CONTAINER_PACKAGES)
    kernel = Path("/proc/filesystems").read_text().split()
    obstacles += [f"this computer's kernel has no {name}" for name in FILE_SYSTEMS if name not in kernel]
    if request.firmware is not Firmware.BIOS or request.medium is not Medium.CDROM or request.medium_first:
        obstacles.append("a container has no firmware and no other medium than a CD: use --machines vm")
    try:
        Hierarchies.of_this_computer()
    except Problem as problem:
        obstacles.append(f"{problem.title} ({problem.remedy})")
    return packages, obstacles


def _missing(packages: Mapping[str, str]) -> tuple[list[str], list[str]]:
    programs = [program for program in packages if shutil.which(program) is None]
    return [packages[program] for program in programs], [f"{program} is not installed" for program in programs]


def _obstacles(request: LabRequest, machines: int) -> Iterator[str]:
    if os.geteuid() != 0:
        yield "not run as root: network namespaces and bridges need it (use sudo)"
    for iso in (request.iso, request.base_iso):
        if iso is not None and not iso.is_file():
            yield f"{iso} is not a file"
    free = shutil.disk_usage(request.directories.inputs).free
    if free < machines * WRITTEN_BYTES:
        needed = machines * WRITTEN_BYTES >> 20
        yield f"{request.directories.inputs} has {free >> 20} MiB free, {machines} machine(s) write up to {needed}"
    memory = _available_memory_mib()
    taken = machines * (CONTAINER_MIB if request.machines is MachineKind.CONTAINER else request.memory_mib)
    if memory < taken:
        yield f"{memory} MiB of memory are available, {machines} machine(s) take {taken}"


def _available_memory_mib() -> int:
    """MemAvailable of /proc/meminfo, see proc(5)."""
    fields = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    return int(fields["MemAvailable"].split()[0]) >> 10
