"""libvirtd for one lab: no systemd, its own directories and socket, inside the lab's network namespace."""

from __future__ import annotations

import os
import select
import socket
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.network.namespace import Namespace
from vm_harness.processes import ProcessId, spawn

START_SECONDS = 30.0
SCRIPT = Path(__file__).with_name("private_libvirtd.sh")

# QEMU writes the logs itself (no virtlogd) and runs as root (its disks are root's). It gets no private /dev, which
# fails in a chroot, and no cgroups, which this computer may not have.
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


def qemu_log(logs: Path, machine: str) -> Path:
    """The file that libvirt lets QEMU write its output to. `logs`: as for `start`."""
    return logs / "libvirt/qemu" / f"{machine}.log"


def start(namespace: Namespace, *, runtime: Path, logs: Path, cache: Path) -> ProcessId:
    """Returns when libvirtd reports that it is ready. Raises `Problem` (`libvirtd-failed`) with the end of its log.

    `runtime` gets configuration, sockets and pid files, `logs` the logs of libvirtd and of each QEMU. `cache` keeps the
    capabilities of QEMU, which libvirt needs seconds to query; all labs share it.
    """
    log, libvirt_logs = logs / "libvirtd.log", logs / "libvirt"
    _write_configuration(runtime)
    for directory in (libvirt_logs, cache):
        directory.mkdir(parents=True, exist_ok=True)
    argv = namespace.inside(["sh", SCRIPT, runtime, libvirt_logs, cache])
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
        # libvirtd speaks sd_notify(3), with or without systemd.
        address = runtime / "notify"
        address.unlink(missing_ok=True)
        ready.bind(os.fspath(address))
        process = spawn(argv, log=log, environment={"NOTIFY_SOCKET": os.fspath(address)})
        if not _is_ready(ready, process):
            process.end()
            raise Problem(
                code="libvirtd-failed", title="the lab's libvirtd did not start",
                detail="\n".join(log.read_text(errors="replace").splitlines()[-15:]), remedy=f"Its log is {log}.",
            )  # fmt: skip
    return process


def _write_configuration(runtime: Path) -> None:
    for directory in ("etc", "lib", "run"):  # one for each bind mount of the script
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
