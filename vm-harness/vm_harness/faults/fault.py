"""What a fault is, and the host that gets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.container.machine import ContainerMachine
from vm_harness.guest.node import Node
from vm_harness.machine.machines import LabMachine
from vm_harness.network.namespace import Namespace

ANY_MACHINE = (ContainerMachine, LabMachine)
WORDS: dict[type, str] = {ContainerMachine: "container", LabMachine: "vm"}
"""A kind of machine → how `lab up --machines` calls it."""


@dataclass(frozen=True)
class Target:
    """A host of a lab that is up. `namespace`: the lab's; `runtime`: its directory for sockets and pid files."""

    node: Node
    machine: ContainerMachine | LabMachine
    namespace: Namespace
    runtime: Path

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def macs(self) -> tuple[str, ...]:
        """One a NIC."""
        return self.machine.macs if isinstance(self.machine, ContainerMachine) else self.machine.domain.macs


Action = Callable[[Target], None]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`summary`: one line for `lab fault --list`: what fails, and as what a host sees it.

    `begin` and `end` raise `Problem`. `end` None: the fault is over at once, as a kill is. `end` needs nothing but the
    target, so another process may call it, also where the fault has not begun. `fits`: kinds of machines.
    """

    name: str
    summary: str
    begin: Action
    end: Action | None = None
    fits: tuple[type, ...] = ANY_MACHINE

    @property
    def lasts(self) -> bool:
        return self.end is not None

    @property
    def kinds(self) -> list[str]:
        return [WORDS[kind] for kind in self.fits]

    def check(self, target: Target) -> None:
        """Raises `Problem` (`fault-does-not-fit`) for a machine of another kind."""
        if not isinstance(target.machine, self.fits):
            kinds = " or ".join(self.kinds)
            raise Problem(
                code="fault-does-not-fit",
                title=f"{self.name} does not fit {target.name}, which is a {WORDS[type(target.machine)]}",
                remedy=f"Bring the lab up with --machines {kinds}.",
            )
