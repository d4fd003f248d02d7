"""Whole installs, from power on until the cluster is installed."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime

import msgspec

from agent.api.events import Event
from agent.model.problems import Problem
from agent.model.states import Stage
from tests.bench.load import observed
from tests.bench.sampling import Measured
from tests.bench.sites import Bench, hosts_of, lab
from vm_harness.lab.cluster import image
from vm_harness.lab.cluster.topologies import Topology

TIMEOUT_SECONDS = 9000.0


@dataclass(frozen=True)
class Install:
    """`seconds`: from power on until every node is Ready, from its disk; `events`: of node0, in order."""

    seconds: float
    events: tuple[Event, ...]
    hosts: str

    def reached(self, stage: Stage) -> list[datetime]:
        """When hosts reported `stage`, by node0's clock, in order."""
        message = f"reached installation stage {stage}"
        return [datetime.fromisoformat(event.event_time) for event in self.events if message in event.message]


def install(bench: Bench, topology: Topology) -> Measured[Install]:
    """Install a cluster, and remove it. Raises `Problem` when it fails or takes too long."""
    with ExitStack() as stack:
        site = stack.enter_context(bench.site(topology, bench.machines))
        iso = bench.image(site)
        where = ["--dir", os.fspath(site.directories.inputs), "-o", "json"]
        with observed() as stretch:
            running = stack.enter_context(lab(site, iso))
            followed = running.run([image.cluster0(), "wait-for", "install-complete", *where], timeout=TIMEOUT_SECONDS)
            seconds = running.node().console.seconds_since_power_on()
        if followed.exit_code != 0:
            raise Problem(code="install-failed", title="the install failed", detail=followed.stdout + followed.stderr)
        lines = running.run([image.cluster0(), "events", *where], timeout=60).stdout.splitlines()
        events = tuple(msgspec.json.decode(line, type=Event) for line in lines)
        return Measured(Install(seconds, events, hosts_of(running)), stretch.load)
