"""The state of a lab: `DIR/.lab/state.json`.

It is written before and after each step that starts or creates something. So the next command knows what may exist,
also in another process or after a crash. It holds no secrets.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import msgspec

from agent.machine.files import Files
from agent.model.problems import Problem
from vm_harness.container.machine import ContainerMachine
from vm_harness.lab.directories import Directories
from vm_harness.machine.accel import Acceleration
from vm_harness.machine.machines import LabMachine
from vm_harness.network.namespace import Namespace
from vm_harness.processes import ProcessId

SCHEMA = 1


class LabPhase(StrEnum):
    """How far `lab up` came. `STARTING` while no process holds the lock: `lab up` was interrupted."""

    STARTING = "starting"
    UP = "up"


class LabState(msgspec.Struct, frozen=True, kw_only=True):
    """What this lab started, in the boot `boot_id` of this computer.

    `accepts_lab_key`: the inputs list the lab's SSH key, so its hosts accept it.
    """

    schema: int = SCHEMA
    id: str
    boot_id: str
    phase: LabPhase
    acceleration: Acceleration
    accepts_lab_key: bool = False
    namespace: Namespace | None = None
    libvirtd: ProcessId | None = None
    machines: tuple[LabMachine | ContainerMachine, ...] = ()

    @property
    def is_of_this_boot(self) -> bool:
        return self.boot_id == boot_id()

    @property
    def is_up(self) -> bool:
        """Whether the lab can be used. Its machines may be on or off."""
        alive = self.acceleration is Acceleration.NATIVE or (self.libvirtd is not None and self.libvirtd.is_alive())
        return (
            self.phase is LabPhase.UP
            and self.is_of_this_boot
            and alive
            and self.namespace is not None
            and self.namespace.exists()
        )


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def load(directories: Directories) -> LabState | None:
    """The recorded state, or None when there is none. Raises `Problem` (`lab-state-unreadable`)."""
    path = directories.root / "state.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=LabState, dec_hook=lambda kind, value: kind(value))
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise Problem(
            code="lab-state-unreadable", title=f"{path} is not a lab's state: {error}",
            remedy=f"Look for namespace lab-{directories.id} (ip netns list), remove it and the file.",
        ) from error  # fmt: skip


def save(directories: Directories, state: LabState) -> None:
    document = msgspec.json.format(msgspec.json.encode(state, enc_hook=os.fspath))
    Files(directories.root).write("state.json", document)


def forget(directories: Directories) -> None:
    (directories.root / "state.json").unlink(missing_ok=True)


@contextmanager
def locked(directories: Directories) -> Iterator[None]:
    """Only one command at a time changes a lab. Raises `Problem` (`lab-busy`) at once; a crash releases the lock."""
    directories.make()
    with (directories.root / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            title = f"another `cluster0 lab` command is changing the lab in {directories.inputs}"
            raise Problem(code="lab-busy", title=title, remedy="Wait for it to end, or interrupt it.") from None
        yield
