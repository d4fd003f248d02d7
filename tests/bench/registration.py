"""A site of thirty hosts, from power on until node0 has the inventory of each and knows who reaches whom.

The hosts are namespaces, so there is no kernel and no disk to wait for; they share this machine's CPUs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

from tests.bench.figure import Figure
from tests.bench.sites import Bench, timed
from tests.fakes.many_hosts import all_connected, all_registered, powered_on

HOSTS = 30


def measure_registration(bench: Bench) -> Iterator[Figure]:
    directory = bench.directory / "registration"
    directory.mkdir()
    with ExitStack() as stack:
        with timed() as seconds:
            files = stack.enter_context(powered_on(directory, HOSTS))
            all_registered(files)
        with timed() as more:
            all_connected(files)
    yield Figure(
        name=f"power on → all of {HOSTS} hosts registered",
        value=seconds[0],
        unit="s",
        costs=f"{seconds[0] * (os.cpu_count() or 1) / HOSTS:.1f} s of a CPU for each host: four starts of Python",
        cut="one process that brings the network up and verifies it",
    )
    yield Figure(
        name=f"all registered → each of {HOSTS} hosts has told which of the others it reaches",
        value=more[0],
        unit="s",
        costs=f"{HOSTS * (HOSTS - 1)} pairs: ARP, ICMP with and without fragments, TCP ports",
        cut="fewer packets for each pair",
    )
