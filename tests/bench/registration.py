"""Thirty hosts, from power on until node0 has the inventory of each: the time of their network and agents.

The hosts are namespaces, so there is no kernel and no disk to wait for; they share this machine's CPUs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

from tests.bench.figure import Figure
from tests.bench.sites import Bench, timed
from tests.fakes.network.many_hosts import all_registered, powered_on

HOSTS = 30


def measure_registration(bench: Bench) -> Iterator[Figure]:
    directory = bench.directory / "registration"
    directory.mkdir()
    with ExitStack() as stack, timed() as seconds:
        all_registered(stack.enter_context(powered_on(directory, HOSTS)))
    yield Figure(
        name=f"power on → all of {HOSTS} hosts registered",
        value=seconds[0],
        unit="s",
        costs=f"{seconds[0] * (os.cpu_count() or 1) / HOSTS:.1f} s of a CPU for each host: four starts of Python",
        cut="one process that brings the network up and verifies it",
    )
