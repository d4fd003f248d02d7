"""Removing a lab: one that is up, one that an interrupted command left half made, one whose directory is gone.

A process is ended only when it is ours beyond doubt: recorded by process id and start time, or named by a pid file in
our private runtime directory *and* living in our network namespace.
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
    """Whether anything of a lab is there, running or not."""
    record = directories.root / "state.json"
    return record.exists() or (directories.runtime / "etc").exists() or _named(directories) is not None


def recorded(directories: Directories) -> LabState | None:
    """The recorded state; a damaged record is none, because pid files and the namespace's name tell enough."""
    try:
        return states.load(directories)
    except Problem:
        return None


def remove(directories: Directories) -> None:
    """End the lab's machines and libvirtd, remove its namespace, disks and record. The logs and the SSH key stay."""
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
    """The recorded one; the one of our name when the record was interrupted before it could say so."""
    namespace = (state.namespace if state else None) or _named(directories)
    return namespace if namespace and namespace.exists() else None


def _named(directories: Directories) -> Namespace | None:
    return Namespace.find(namespace_name(directories))


def _close_ssh_connections(directories: Directories) -> None:
    """End the shared SSH connections; each is a process in the namespace."""
    for control in directories.runtime.glob("ssh-*"):
        run(["ssh", "-F", "none", "-o", f"ControlPath={control}", "-O", "exit", "lab"], timeout=10, check=False)


def _destroy_machines(directories: Directories, state: LabState | None) -> None:
    """Let libvirtd switch the machines off, if it still answers; what then is left is ended process by process."""
    if state is None or state.libvirtd is None or not state.libvirtd.is_alive():
        return
    with contextlib.suppress(Problem):
        hypervisor = Hypervisor(directories.runtime)
        try:
            hypervisor.destroy_all()
        finally:
            hypervisor.close()


def _processes(directories: Directories, state: LabState | None, namespace: Namespace) -> Iterator[ProcessId]:
    """QEMUs first: libvirtd would only notice them going."""
    runtime = directories.runtime
    for file in (*runtime.glob("run/qemu/*.pid"), runtime / "run/libvirtd.pid", *runtime.glob("vlan-*.pid")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
            process = ProcessId.of(int(file.read_text()))
            if namespace.holds(process):
                yield process
    if state and state.libvirtd and state.is_of_this_boot:
        yield state.libvirtd
