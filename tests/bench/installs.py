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
from vm_harness.lab.request import LabRequest

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


def install(bench: Bench, name: str, topology: Topology) -> Measured[Install]:
    """Install a cluster from the directory `name`, and remove it. Raises `Problem` when it fails or takes too long."""
    site = bench.site(name, topology)
    request = LabRequest(directories=site, iso=bench.image(site))
    follow = [image.cluster0(), "wait-for", "install-complete", "--dir", os.fspath(site.inputs), "-o", "json"]
    list_events = [image.cluster0(), "events", "--dir", os.fspath(site.inputs), "-o", "json"]
    with ExitStack() as stack:
        with observed() as stretch:
            running = stack.enter_context(lab(request))
            followed = running.run(follow, timeout=TIMEOUT_SECONDS)
            seconds = running.node().console.seconds_since_power_on()
        if followed.exit_code != 0:
            raise Problem(code="install-failed", title="the install failed", detail=followed.stdout + followed.stderr)
        lines = running.run(list_events, timeout=60).stdout.splitlines()
        events = tuple(msgspec.json.decode(line, type=Event) for line in lines)
        return Measured(Install(seconds, events, hosts_of(running)), stretch.load)
