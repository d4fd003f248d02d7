"""What other processes of this computer used while a sample was taken.

The bench's own processes are the tree below its subreaper (`tests.guard.reaper`), so daemons, virtual machines and
containers that it started count as its own. What the tree used is subtracted from what the whole computer used. Kernel
threads work for every process, and are left out. See proc(5), and Documentation/accounting/psi.rst of the kernel.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import psutil

CPU_LIMIT = 0.1
"""CPUs. What others take can delay a sample by no more than the same share of its time: by a tenth."""
DISK_LIMIT = 20e6
"""Bytes a second. Above what our own writes cause beside themselves: the journal, and pages written late."""

_KTHREADD = 2


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """Averages over a sample.

    `cpu`: CPUs that other processes used, and that the hypervisor gave to other machines. `disk`: bytes a second that
    other processes moved. `cpu_pressure`, `io_pressure`: share of the time in which some process waited, the bench's
    own included; None on a kernel without pressure stall information.
    """

    cpu: float
    disk: float
    cpu_pressure: float | None = None
    io_pressure: float | None = None

    @property
    def is_disturbing(self) -> bool:
        return self.severity > 1

    @property
    def severity(self) -> float:
        """What the limits allow is 1."""
        return max(self.cpu / CPU_LIMIT, self.disk / DISK_LIMIT)

    @classmethod
    def highest(cls, loads: Iterable[Load]) -> Load:
        """The highest of each; raises ValueError without loads."""
        found = list(loads)
        return cls(
            cpu=max(load.cpu for load in found),
            disk=max(load.disk for load in found),
            cpu_pressure=_highest(load.cpu_pressure for load in found),
            io_pressure=_highest(load.io_pressure for load in found),
        )


class Observed:
    """A stretch of time. `seconds` and `load` are there once it is over."""

    seconds: float
    load: Load


@contextmanager
def observed(root: int | None = None) -> Iterator[Observed]:
    """The block's duration, and the load beside it. `root`: the process on top of the bench's own; default: the parent
    process."""
    found = Observed()
    before = Counters.read(root or os.getppid())
    start = time.monotonic()
    yield found
    found.seconds = time.monotonic() - start
    found.load = Counters.read(root or os.getppid()).load_since(before)


class Counters(msgspec.Struct, frozen=True, kw_only=True):
    """Sums since the computer started, of all processes and of the bench's own.

    `at`: seconds. CPU: seconds of a CPU, `stolen` by the hypervisor. Disk: bytes. Pressure: seconds, see `Load`.
    """

    at: float
    cpu: float
    own_cpu: float
    stolen: float
    disk: float
    own_disk: float
    cpu_pressure: float | None
    io_pressure: float | None

    @classmethod
    def read(cls, root: int) -> Counters:
        times = psutil.cpu_times()
        own = _tree(root)
        return cls(
            at=time.monotonic(),
            cpu=times.user + times.nice + times.system - sum(map(_cpu, _kernel_threads())),
            own_cpu=sum(map(_cpu, own)),
            stolen=times.steal,
            disk=_disk_bytes(),
            own_disk=sum(map(_process_bytes, own)),
            cpu_pressure=_pressure("cpu"),
            io_pressure=_pressure("io"),
        )

    def load_since(self, before: Counters) -> Load:
        """Never negative: what a process has written reaches the disk later."""
        seconds = self.at - before.at
        cpu = self.cpu - before.cpu - (self.own_cpu - before.own_cpu)
        disk = self.disk - before.disk - (self.own_disk - before.own_disk)
        return Load(
            cpu=(max(0.0, cpu) + self.stolen - before.stolen) / seconds,
            disk=max(0.0, disk) / seconds,
            cpu_pressure=_share(self.cpu_pressure, before.cpu_pressure, seconds),
            io_pressure=_share(self.io_pressure, before.io_pressure, seconds),
        )


def _tree(root: int) -> list[psutil.Process]:
    top = psutil.Process(root)
    return [top, *top.children(recursive=True)]


def _kernel_threads() -> list[psutil.Process]:
    with contextlib.suppress(psutil.NoSuchProcess):
        parent = psutil.Process(_KTHREADD)
        if parent.name() == "kthreadd":
            return [parent, *parent.children()]
    return []  # in a container


def _cpu(process: psutil.Process) -> float:
    """With the children that it has reaped."""
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)


def _process_bytes(process: psutil.Process) -> float:
    """With the children that it has reaped. A zombie shows none."""
    try:
        moved = process.io_counters()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0.0
    return float(moved.read_bytes + moved.write_bytes)


def _disk_bytes() -> float:
    """Of real disks: a loop device or a volume moves its bytes on another one."""
    disks = psutil.disk_io_counters(perdisk=True, nowrap=False)
    real = [moved for name, moved in disks.items() if Path("/sys/block", name, "device").exists()]
    return float(sum(moved.read_bytes + moved.write_bytes for moved in real))


def _pressure(resource: str) -> float | None:
    """Seconds in which some process waited for `resource`."""
    try:
        some = Path("/proc/pressure", resource).read_text().splitlines()[0]
    except OSError:
        return None
    return int(some.rpartition("total=")[2]) / 1e6


def _share(after: float | None, before: float | None, seconds: float) -> float | None:
    return None if after is None or before is None else (after - before) / seconds


def _highest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
