"""What the lab can do with a host's machine, whatever kind it is."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from vm_harness.machine.accel import Acceleration
from vm_harness.machine.lifecycle import Failure, PowerState


class Watched(Protocol):
    """A machine that is only looked at. `guest`: digest of the kernel and initramfs on its medium, if known."""

    name: str
    guest: str

    @property
    def acceleration(self) -> Acceleration: ...

    def is_on(self) -> bool:
        """True also while it is paused."""

    def failure(self) -> Failure | None:
        """Why the machine does not run; None when it runs, or is off on request."""

    def end_of_log(self) -> str:
        """The last lines of the program that runs the machine."""


class Machine(Watched, Protocol):
    """`vm_harness.machine.power.Power` and `vm_harness.container.power.ContainerPower` are machines."""

    def on(self) -> None:
        """Switch it on. Raises `MachineFailed` (`machine-not-started`)."""

    def cut(self) -> None:
        """Switch it off at once: nothing is flushed. Being off is then no failure."""

    def state(self) -> PowerState: ...

    def eject_medium(self) -> None: ...

    def insert_medium(self, iso: Path) -> None: ...

    def screenshot(self, image: Path) -> None:
        """The display's content, as PNG. Raises `Problem` (`no-display`) where there is none."""

    def registers(self) -> str:
        """The registers of each CPU. Raises `Problem` (`no-display`) where it has none of its own."""

    def interactive_console(self) -> list[str]:
        """The argv that connects a terminal to the serial console; Ctrl-] ends it."""
