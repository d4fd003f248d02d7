"""libvirtd for one lab: no systemd, its own directories and socket, inside the lab's network namespace."""

from __future__ import annotations

import os
import select
import socket
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.lab.directories import Directories, cache
from vm_harness.machine.processes import ProcessId, spawn
from vm_harness.network.namespace import Namespace

START_SECONDS = 30.0
SCRIPT = Path(__file__).with_name("private_libvirtd.sh")

# QEMU writes the logs itself (no virtlogd), stays root (its disks are), gets no private /dev (a chroot cannot),
# and no cgroup is asked of a host that may have none to give.
QEMU_CONF = """\
stdio_handler = "file"
cgroup_controllers = []
namespaces = []
security_driver = "none"
user = "root"
group = "root"
"""
LIBVIRTD_CONF = """\
unix_sock_dir = "{runtime}"
auth_unix_ro = "none"
auth_unix_rw = "none"
"""


def qemu_log(directories: Directories, machine: str) -> Path:
    """Where libvirt has QEMU write what it says."""
    return directories.logs / "libvirt/qemu" / f"{machine}.log"


def start(directories: Directories, namespace: Namespace) -> ProcessId:
    """Returns when libvirtd says that it is ready. Raises `Problem` (`libvirtd-failed`) with the end of its log."""
    runtime, log = directories.runtime, directories.logs / "libvirtd.log"
    _write_configuration(runtime)
    # libvirt asks a QEMU once what it can do, which takes seconds: all labs share the answer.
    libvirt_logs, libvirt_cache = directories.logs / "libvirt", cache() / "lab" / "libvirt"
    for directory in (libvirt_logs, libvirt_cache):
        directory.mkdir(parents=True, exist_ok=True)
    argv = namespace.inside(["sh", SCRIPT, runtime, libvirt_logs, libvirt_cache])
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        # libvirtd speaks sd_notify(3) to whoever asks, systemd or not.
        address = runtime / "notify"
        address.unlink(missing_ok=True)
        ready.bind(os.fspath(address))
        process = spawn(argv, log=log, environment={"NOTIFY_SOCKET": os.fspath(address)})
        if not _is_ready(ready, process):
            process.end()
            raise Problem(
                code="libvirtd-failed", title="the lab's libvirtd did not come up",
                detail="\n".join(log.read_text(errors="replace").splitlines()[-15:]), remedy=f"Its log is {log}.",
            )  # fmt: skip
    return process


def _write_configuration(runtime: Path) -> None:
    for directory in ("etc", "lib", "run"):  # one per bind mount of the script
        (runtime / directory).mkdir(exist_ok=True)
    (runtime / "etc/qemu.conf").write_text(QEMU_CONF)
    (runtime / "etc/libvirtd.conf").write_text(LIBVIRTD_CONF.format(runtime=runtime))


def _is_ready(ready: socket.socket, process: ProcessId) -> bool:
    try:
        with process.handle() as ended:
            readable = select.select([ready.fileno(), ended], [], [], START_SECONDS)[0]
    except ProcessLookupError:
        return False
    return ready.fileno() in readable and b"READY=1" in ready.recv(4096)
