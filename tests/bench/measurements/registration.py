"""Thirty hosts, from power on until node0 has the inventory of each: the time of their network and agents."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cli.command import run
from tests.bench.figures import Figure, Samples
from tests.bench.load import observed
from tests.bench.sampling import Measured, repeat
from tests.bench.sites import Bench
from tests.paths import REPOSITORY

HOSTS = 30
TIMEOUT_SECONDS = 900.0

REGISTERED = Figure(
    id="registered-30",
    title=f"power on → all of {HOSTS} hosts registered",
    unit="s",
    what="The hosts are namespaces, each with a NetworkManager and an agent of its own, and share the CPUs of this "
    "computer. There is no kernel and no disk to wait for.",
)
FIGURES = (REGISTERED,)


def take(bench: Bench) -> Iterator[Samples]:
    yield REGISTERED.of(repeat(lambda: _sample(bench.directory)), float, hosts="namespaces")


def _sample(parent: Path) -> Measured[float]:
    with tempfile.TemporaryDirectory(prefix="registration-", dir=parent) as directory, observed() as stretch:
        argv = [sys.executable, "-m", "tests.bench.many_registrations", str(HOSTS), directory]
        done = run(argv, timeout=TIMEOUT_SECONDS, cwd=REPOSITORY)
    return Measured(float(done.stdout), stretch.load)
