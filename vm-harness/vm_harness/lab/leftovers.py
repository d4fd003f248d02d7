"""Removing a lab, also one that an interrupted command left half made.

A process is ended only when it is certainly the lab's: recorded by process id and start time, or named by a pid file
in the lab's private runtime directory *and* running in the lab's network namespace.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator

from agent.model.problems import Problem
from cli.command import run
from vm_harness.lab import state as states
from vm_harness.lab.directories import Directories
from vm_harness.lab.state import LabState
from vm_harness.machine.hypervisor import Hypervisor
from vm_harness.network.namespace import Namespace
from vm_harness.processes import ProcessId


def namespace_name(directories: Directories) -> str:
    return f"lab-{directories.id}"


def exist(directories: Directories) -> bool:
    """Whether anything of a lab exists, running or not."""
    record = directories.root / "state.json"
    return record.exists() or (directories.runtime / "etc").exists() or _named(directories) is not None


def recorded(directories: Directories) -> LabState | None:
    """The recorded state; None also when it is damaged: pid files and the namespace's name are enough for a removal."""
    try:
        return states.load(directories)
    except Problem:
        return None


def remove(directories: Directories) -> None:
    """End the lab's machines and libvirtd; remove its namespace, disks and state. The logs and the SSH key stay."""
    state = recorded(directories)
    namespace = _namespace(directories, state)
    if namespace is not None:
        _close_ssh_connections(directories)
        _destroy_machines(directories, state)
        for process in _processes(directories, state, namespace):
            process.end()
        namespace.delete()
    shutil.rmtree(directories.runtime, ignore_errors=True)
    shutil.rmtree(directories.disks, ignore_errors=True)
    states.forget(directories)


def _namespace(directories: Directories, state: LabState | None) -> Namespace | None:
    """The recorded one, else the one of the lab's name: `up` may have been interrupted before it recorded it."""
    namespace = (state.namespace if state else None) or _named(directories)
    return namespace if namespace and namespace.exists() else None


def _named(directories: Directories) -> Namespace | None:
    return Namespace.find(namespace_name(directories))


def _close_ssh_connections(directories: Directories) -> None:
    """End the shared SSH connections, each of which is a process in the namespace."""
    for control in directories.runtime.glob("ssh-*"):
        run(["ssh", "-F", "none", "-o", f"ControlPath={control}", "-O", "exit", "lab"], timeout=10, check=False)


def _destroy_machines(directories: Directories, state: LabState | None) -> None:
    """Let libvirtd switch the machines off, if it still answers. `_processes` has those that remain."""
    if state is None or state.libvirtd is None or not state.libvirtd.is_alive():
        return
    with contextlib.suppress(Problem):
        hypervisor = Hypervisor(directories.runtime)
        try:
            hypervisor.destroy_all()
        finally:
            hypervisor.close()


def _processes(directories: Directories, state: LabState | None, namespace: Namespace) -> Iterator[ProcessId]:
    """The lab's processes that still run, in the order in which to end them: QEMUs, libvirtd, VLAN ports."""
    runtime = directories.runtime
    for file in (*runtime.glob("run/qemu/*.pid"), runtime / "run/libvirtd.pid", *runtime.glob("vlan-*.pid")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
            process = ProcessId.of(int(file.read_text()))
            if namespace.contains(process):
                yield process
    if state and state.libvirtd and state.is_of_this_boot:
        yield state.libvirtd
