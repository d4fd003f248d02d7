"""One host as a container: what it is, as the lab records it."""

from __future__ import annotations

from pathlib import Path

import msgspec


class ContainerMachine(msgspec.Struct, frozen=True, kw_only=True, tag="container"):
    """`number`: of the host in its lab, from 0. `lab`: the lab's id; `namespace`: its network namespace.

    `bridges`: of the NICs, in the order of `macs`. `disk`, `medium`: loop devices. `disk_image`, `medium_image`: the
    files below them. `runtime`: a directory for the files of this machine that do not outlive a boot of this computer.
    `kernel_seconds`: from power on to the first line on the console, at most.
    """

    name: str
    number: int
    lab: str
    namespace: str
    macs: tuple[str, ...]
    bridges: tuple[str, ...]
    memory_mib: int
    disk: Path
    disk_image: Path
    medium: Path
    medium_image: Path
    serial_log: Path
    runtime: Path
    address: str = ""
    kernel_seconds: float | None = None

    @property
    def no_medium(self) -> Path:
        """The file below the medium's device while no medium is in."""
        return self.disk_image.with_suffix(".nothing")

    @property
    def specification(self) -> Path:
        """This document, for the runner."""
        return self.runtime / "machine.json"

    @property
    def console_socket(self) -> Path:
        """The serial console as a stream (UNIX socket)."""
        return self.runtime / "console"

    @property
    def outcome(self) -> Path:
        """How the last boot ended (`Outcome`): written by the runner and by a power cut; absent while the machine runs,
        and when its runner was killed."""
        return self.runtime / "outcome.json"

    @property
    def runner_log(self) -> Path:
        return self.serial_log.with_name(f"{self.name}-runner.log")


class Outcome(msgspec.Struct, frozen=True):
    """`failure`: why the machine does not run; empty when it was switched off, from inside or by a power cut."""

    failure: str = ""
