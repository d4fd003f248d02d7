"""Removes a lab, also one that an interrupted command created in part.

A process is ended only if it certainly belongs to the lab: the lab's state records it by process id and start time, or
a pid file in the lab's private runtime directory names it *and* it runs in the lab's network namespace.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator

from agent.model.problems import Problem
from cli.command import run
from vm_harness.faults import addresses, disk
from vm_harness.lab import containers
from vm_harness.lab import state as states
from vm_harness.lab.directories import Directories
from vm_harness.lab.state import LabState
from vm_harness.machine.hypervisor import Hypervisor
from vm_harness.network.namespace import Namespace
from vm_harness.processes import ProcessId


def namespace_name(directories: Directories) -> str:
    """Name of the lab's network namespace, as `ip netns` lists it."""
    return f"lab-{directories.id}"


def lab_exists(directories: Directories) -> bool:
    """Whether any part of the lab exists: its state file, runtime files or namespace. It need not run."""
    record = directories.root / "state.json"
    return record.exists() or (directories.runtime / "etc").exists() or _namespace_by_name(directories) is not None


def recorded_state(directories: Directories) -> LabState | None:
    """The state that `lab up` recorded; None if there is none, or its file is damaged.

    `remove` works without it, from the pid files and the name of the namespace.
    """
    try:
        return states.load(directories)
    except Problem:
        return None


def remove(directories: Directories) -> None:
    """End the lab's machines and libvirtd; remove its namespace, disks and state. The logs and the SSH key stay."""
    state = recorded_state(directories)
    namespace = _namespace(directories, state)
    _end_faults(directories)
    containers.remove(directories)
    if namespace is not None:
        _close_ssh_connections(directories)
        _destroy_machines(directories, state)
        for process in _processes(directories, state, namespace):
            process.end()
        namespace.delete()
    shutil.rmtree(directories.runtime, ignore_errors=True)
    shutil.rmtree(directories.disks, ignore_errors=True)
    states.forget(directories)


def _end_faults(directories: Directories) -> None:
    """What faults leave outside the machines; their programs in the lab's namespace are among `_processes`."""
    addresses.leave(namespace_name(directories))
    images = list(directories.disks.glob("*.img"))
    disk.take_writes(images)
    disk.forget_limits(images)


def _namespace(directories: Directories, state: LabState | None) -> Namespace | None:
    """The recorded namespace, or the one with the lab's name if `lab up` was interrupted before it recorded any."""
    namespace = (state.namespace if state else None) or _namespace_by_name(directories)
    return namespace if namespace and namespace.exists() else None


def _namespace_by_name(directories: Directories) -> Namespace | None:
    return Namespace.find(namespace_name(directories))


def _close_ssh_connections(directories: Directories) -> None:
    """End the shared SSH connections, each of which is a process in the namespace."""
    for control in directories.runtime.glob("ssh-*"):
        run(["ssh", "-F", "none", "-o", f"ControlPath={control}", "-O", "exit", "lab"], timeout=10, check=False)


def _destroy_machines(directories: Directories, state: LabState | None) -> None:
    """Let libvirtd switch the machines off, if it still answers. `_processes` returns the QEMUs that still run."""
    if state is None or state.libvirtd is None or not state.libvirtd.is_alive():
        return
    with contextlib.suppress(Problem):
        hypervisor = Hypervisor(directories.runtime)
        try:
            hypervisor.destroy_all()
        finally:
            hypervisor.close()


def _processes(directories: Directories, state: LabState | None, namespace: Namespace) -> Iterator[ProcessId]:
    """The lab's processes that still run, in the order in which to end them: QEMUs, libvirtd, VLAN ports, cables."""
    runtime = directories.runtime
    for file in (
        *runtime.glob("run/qemu/*.pid"),
        runtime / "run/libvirtd.pid",
        *runtime.glob("vlan-*.pid"),
        *runtime.glob("cable-*.pid"),
    ):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
            process = ProcessId.of(int(file.read_text()))
            if namespace.contains(process):
                yield process
    if state and state.libvirtd and state.is_of_this_boot:
        yield state.libvirtd
