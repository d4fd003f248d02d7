"""The load beside a sample: what other processes used, and not the bench's own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.bench.load import CPU_LIMIT, Counters, Load, observed

pytestmark = pytest.mark.integration

CPU_SECONDS = 1.0
BUSY = f"import time\nwhile time.process_time() < {CPU_SECONDS}: pass"


@pytest.fixture
def idle() -> Iterator[int]:
    """The pid of a process that stands for a bench without work."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


def _use_cpu() -> None:
    subprocess.run([sys.executable, "-c", BUSY], check=True)


def test_cpu_of_another_process_is_load(idle: int) -> None:
    with observed(idle) as stretch:
        _use_cpu()
    # A tenth less: the kernel counts in ticks.
    assert stretch.load.cpu * stretch.seconds > 0.9 * CPU_SECONDS
    assert stretch.load.cpu > CPU_LIMIT
    assert stretch.load.is_disturbing


def test_cpu_of_children_that_have_ended_is_the_benchs_own() -> None:
    before = Counters.read(_own())
    _use_cpu()
    assert Counters.read(_own()).own_cpu - before.own_cpu > 0.9 * CPU_SECONDS


def test_cpu_of_orphans_that_have_ended_is_the_benchs_own() -> None:
    """The shell ends at once; the subreaper reaps what it left."""
    before = Counters.read(_own())
    with subprocess.Popen(["sh", "-c", f'"{sys.executable}" -c "$0" &', BUSY], stdout=subprocess.PIPE) as shell:
        assert shell.communicate()[0] == b""  # at the end of the orphan, which has the pipe, too
    assert Counters.read(_own()).own_cpu - before.own_cpu > 0.9 * CPU_SECONDS


def test_own_use_is_subtracted() -> None:
    before = Counters(at=100, cpu=50, own_cpu=20, stolen=1, disk=1e9, own_disk=4e8, cpu_pressure=10, io_pressure=None)
    after = Counters(at=110, cpu=65, own_cpu=30, stolen=2, disk=3e9, own_disk=2.3e9, cpu_pressure=15, io_pressure=None)
    assert after.load_since(before) == Load(cpu=0.6, disk=1e7, cpu_pressure=0.5)


def test_load_is_never_negative() -> None:
    """What a process writes reaches the disk later."""
    before = Counters(at=0, cpu=0, own_cpu=0, stolen=0, disk=0, own_disk=0, cpu_pressure=0, io_pressure=0)
    after = Counters(at=1, cpu=1, own_cpu=1.1, stolen=0, disk=1e6, own_disk=5e8, cpu_pressure=0, io_pressure=0)
    assert after.load_since(before) == Load(cpu=0, disk=0, cpu_pressure=0, io_pressure=0)


def _own() -> int:
    """pytest's subreaper, see `tests.guard.reaper`: the bench has the same."""
    return os.getppid()
