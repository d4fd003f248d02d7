"""A lab that is up: finding it again from any process, and taking it down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agent.model.problems import Problem
from cli.command import Finished, run
from vm_harness.guest.console import Console
from vm_harness.guest.node import Node
from vm_harness.guest.ssh import Ssh
from vm_harness.guest.watch import Watch
from vm_harness.lab import leftovers, machines
from vm_harness.lab import state as states
from vm_harness.lab.directories import Directories
from vm_harness.lab.state import LabState
from vm_harness.machine.accel import Acceleration
from vm_harness.network.namespace import Namespace


class Lab:
    """A lab that is up. Any process may hold one; the machines do not depend on it."""

    def __init__(self, directories: Directories, state: LabState, namespace: Namespace) -> None:
        self.directories = directories
        self.state = state
        self.namespace = namespace
        self.machines = machines.connect(directories, state.machines)
        try:
            self.watch, self.nodes = self._connect()
        except BaseException:
            self.machines.close()
            raise

    @property
    def acceleration(self) -> Acceleration:
        return self.state.acceleration

    def node(self, name: str = "") -> Node:
        """The host `name`, by default the first one. Raises `Problem` (`no-such-host`)."""
        for node in self.nodes:
            if name in ("", node.name):
                return node
        known = ", ".join(node.name for node in self.nodes)
        raise Problem(code="no-such-host", title=f"the lab has no host {name}", remedy=f"Its hosts are: {known}.")

    def run(self, argv: Sequence[str | Path], *, timeout: float) -> Finished:
        """Run a program of this computer where the lab's addresses exist; the caller checks its exit code.

        Raises `MachineFailed` when a machine fails meanwhile, and `Problem` (`command-timeout`).
        """
        return run(self.namespace.inside(argv), timeout=timeout, check=False, while_waiting=self.watch.check)

    def close(self) -> None:
        """Close the connection to the machines; the lab stays up. May be called again."""
        self.watch.close()
        self.machines.close()

    def _connect(self) -> tuple[Watch, tuple[Node, ...]]:
        key = self.directories.ssh_key if self.state.accepts_lab_key else None
        runtime = self.directories.runtime
        planned, powers = self.state.machines, self.machines.powers
        consoles = [Console(power, machine.serial_log) for machine, power in zip(planned, powers, strict=True)]
        watch = Watch(consoles, self.machines.changes)
        return watch, tuple(
            Node(
                power, machines.disks(machine), machine.kernel_seconds, console, watch,
                Ssh(self.namespace, machine.address, key, runtime),
            )
            for machine, power, console in zip(planned, powers, consoles, strict=True)
        )  # fmt: skip


def open_lab(directories: Directories) -> Lab:
    """The lab that is up in these directories. Raises `Problem` (`lab-not-up`)."""
    state = states.load(directories)
    if state is None or state.namespace is None or not state.is_up:
        raise Problem(
            code="lab-not-up",
            title=f"no lab is up in {directories.inputs}",
            remedy=f"Start one: cluster0 lab up --dir {directories.inputs}",
        )
    return Lab(directories, state, state.namespace)


@contextmanager
def opened(directories: Directories) -> Iterator[Lab]:
    """`open_lab` for as long as the block lasts."""
    lab = open_lab(directories)
    try:
        yield lab
    finally:
        lab.close()


def down(directories: Directories) -> bool:
    """Remove the lab, whether it is up or was created in part. False if there was none."""
    if not leftovers.lab_exists(directories):
        return False
    with states.locked(directories):
        leftovers.remove(directories)
    return True
