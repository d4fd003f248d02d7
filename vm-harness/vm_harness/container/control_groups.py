"""The control groups of one container: all of its processes, to freeze or to kill them at once.

The group in the version 2 hierarchy contains the processes on every computer; where the controllers are of version 1
(hybrid or legacy mode, see cgroups(7)), there is a group of the same name in each of their hierarchies as well.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.problems import Problem
from vm_harness.processes import ProcessId

PARENT = "cluster0-lab"
CPUSET_FILES = ("cpuset.cpus", "cpuset.mems")
KILL_SECONDS = 10.0


@dataclass(frozen=True)
class Hierarchies:
    """Mount points: `unified` of version 2; `legacy` of version 1, empty where there is none."""

    unified: Path
    legacy: tuple[Path, ...]

    @classmethod
    def of_this_computer(cls) -> Hierarchies:
        """From /proc/self/mountinfo, see proc(5). Raises `Problem` (`no-control-groups`)."""
        unified, legacy = None, []
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            point, kind = Path(before.split()[4]), after.split()[0]
            if kind == "cgroup2":
                unified = unified or point
            elif kind == "cgroup":
                legacy.append(point)
        if unified is None:
            raise Problem(
                code="no-control-groups", title="this computer has no version 2 hierarchy of control groups mounted",
                remedy="mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified",
            )  # fmt: skip
        return cls(unified, tuple(legacy))


@dataclass(frozen=True)
class ControlGroup:
    """The groups `cluster0-lab/LAB/HOST`.

    Below it in the version 2 hierarchy, from power-on to power-off: `runner`, and `inside` for the container.
    """

    hierarchies: Hierarchies
    lab: str
    host: str

    @classmethod
    def all_of(cls, hierarchies: Hierarchies, lab: str) -> list[ControlGroup]:
        """The groups of all hosts of a lab, also of one that was created in part."""
        parents = [hierarchy / PARENT / lab for hierarchy in (hierarchies.unified, *hierarchies.legacy)]
        hosts = {path.name for parent in parents if parent.is_dir() for path in parent.iterdir() if path.is_dir()}
        return [cls(hierarchies, lab, host) for host in sorted(hosts)]

    @property
    def events(self) -> Path:
        """`cgroup.events`: the kernel reports a change of `populated` or `frozen` as a write to it (inotify)."""
        return self._unified / "cgroup.events"

    @property
    def inside(self) -> Path:
        """The container's group in the version 2 hierarchy; the device filter is attached to it."""
        return self._unified / "inside"

    @property
    def _unified(self) -> Path:
        return self.hierarchies.unified / PARENT / self.lab / self.host

    @property
    def _runner(self) -> Path:
        return self._unified / "runner"

    @property
    def _legacy(self) -> list[Path]:
        return [hierarchy / PARENT / self.lab / self.host for hierarchy in self.hierarchies.legacy]

    def create(self) -> None:
        """May be called again."""
        self._unified.mkdir(parents=True, exist_ok=True)

    def renew(self) -> None:
        """New groups for a boot, without what is left of the ones before."""
        for group in (self._runner, self.inside, *self._legacy):
            _remove(group)
            group.mkdir(parents=True, exist_ok=True)
            _copy_cpusets(group)

    def clear(self) -> None:
        """Remove the groups that the system inside has made: a machine that restarts has none."""
        for group in (self.inside, *self._legacy):
            _remove_below(group)

    def join(self) -> None:
        """This process joins `runner`."""
        (self._runner / "cgroup.procs").write_text(str(os.getpid()))

    def joining(self, argv: Sequence[str]) -> list[str]:
        """The argv that runs `argv` as the first process of the container's groups."""
        script = 'for group; do shift; [ "$group" = -- ] && break; echo $$ > "$group/cgroup.procs"; done; exec "$@"'
        return ["sh", "-ec", script, "sh", *map(os.fspath, (self.inside, *self._legacy)), "--", *argv]

    def remove(self) -> None:
        """Kill what still runs, and remove all groups of the host; those of the lab go with its last host."""
        if self._unified.exists():
            self.kill()
        for group in (self._unified, *self._legacy):
            _remove(group)
            for parent in (group.parent, group.parent.parent):
                with contextlib.suppress(OSError):  # Other hosts and labs have groups there.
                    parent.rmdir()

    def is_populated(self) -> bool:
        return self._event("populated")

    def is_frozen(self) -> bool:
        return self._event("frozen")

    def freeze(self) -> None:
        """Stop all processes; `thaw` lets them go on. Returns when they have stopped."""
        (self._unified / "cgroup.freeze").write_text("1")
        self._wait_until(self.is_frozen)

    def thaw(self) -> None:
        (self._unified / "cgroup.freeze").write_text("0")

    def kill(self) -> None:
        """SIGKILL to all processes, frozen or not. Returns when they have ended."""
        (self._unified / "cgroup.kill").write_text("1")
        self._wait_until(lambda: not self.is_populated())
        self.thaw()

    def _event(self, name: str) -> bool:
        try:
            return f"{name} 1" in self.events.read_text().splitlines()
        except FileNotFoundError:
            return False

    def processes(self) -> list[int]:
        """One process of each mount namespace in the group."""
        found = {}
        for file in self._unified.rglob("cgroup.procs"):
            for process in file.read_text().split():
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    found[Path(f"/proc/{process}/ns/mnt").stat().st_ino] = int(process)
        return list(found.values())

    def runners(self) -> list[int]:
        """The runner, and what it has started to prepare a boot."""
        return [int(process) for process in (self._runner / "cgroup.procs").read_text().split()]

    def wait_until_populated(self, starting: ProcessId, seconds: float) -> bool:
        """Whether a process has joined; False when `starting` has ended before, or after `seconds`."""
        return self._wait_until(lambda: self.is_populated() or not starting.is_alive(), seconds) and self.is_populated()

    def _wait_until(self, holds: Callable[[], bool], seconds: float = KILL_SECONDS) -> bool:
        deadline = time.monotonic() + seconds
        while not (is_so := holds()) and time.monotonic() < deadline:
            time.sleep(0.01)
        return is_so


def _copy_cpusets(group: Path) -> None:
    """A new group of the version 1 controller cpuset is empty, and then takes no process."""
    for name in CPUSET_FILES:
        if (group / name).exists() and (group.parent / name).exists() and not (group / name).read_text().strip():
            for upper in (group.parent.parent, group.parent, group):
                if not (upper / name).read_text().strip():
                    (upper / name).write_text((upper.parent / name).read_text())


def _remove(group: Path) -> None:
    """Remove a group and those below it. A group that still has a process stays."""
    _remove_below(group)
    with contextlib.suppress(OSError):
        group.rmdir()


def _remove_below(group: Path) -> None:
    for below in sorted(group.rglob("*/"), key=lambda path: len(path.parts), reverse=True):
        if below.is_dir():
            with contextlib.suppress(OSError):
                below.rmdir()
