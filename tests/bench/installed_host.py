"""A whole install: power on to Ready from disk, and the time of the disk write."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import msgspec

from agent.api.events import Event
from agent.model.states import Stage
from tests.bench.figure import Figure
from tests.bench.live_host import Plain
from tests.bench.sites import SNO, Bench, lab
from vm_harness.lab.cluster import image
from vm_harness.lab.cluster.topologies import Topology
from vm_harness.lab.lab import Lab
from vm_harness.lab.request import LabRequest

TIMEOUT_SECONDS = 5400.0


@dataclass(frozen=True)
class Install:
    """`lab`: up, with an installed cluster; `seconds`: from power on until then; `events`: of node0, in order."""

    lab: Lab
    seconds: float
    events: tuple[Event, ...]


def measure_install(bench: Bench, plain: Plain) -> Iterator[Figure]:
    with installed(bench, "install", SNO) as install:
        size = int(install.lab.node().succeed("stat -c %s /run/cluster0/medium/slots/a/rootfs.img"))
    yield _ready_figure(install.seconds, plain)
    yield _write_figure(_write_seconds(install.events), size, plain)


@contextmanager
def installed(bench: Bench, name: str, topology: Topology, *, timeout: float = TIMEOUT_SECONDS) -> Iterator[Install]:
    """A cluster in the directory `name`, removed after the block. RuntimeError: not installed in `timeout` seconds."""
    site = bench.site(name, topology)
    request = LabRequest(directories=site, iso=bench.image(site))
    follow = [image.cluster0(), "wait-for", "install-complete", "--dir", os.fspath(site.inputs), "-o", "json"]
    list_events = [image.cluster0(), "events", "--dir", os.fspath(site.inputs), "-o", "json"]
    with lab(request) as running:
        followed = running.run(follow, timeout=timeout)
        ready = running.node().console.seconds_since_power_on()
        if followed.exit_code != 0:
            raise RuntimeError(f"the install failed:\n{followed.stdout}{followed.stderr}")
        lines = running.run(list_events, timeout=60).stdout.splitlines()
        yield Install(running, ready, tuple(msgspec.json.decode(line, type=Event) for line in lines))


def reached(events: tuple[Event, ...], stage: Stage) -> list[datetime]:
    """When hosts reported `stage`, by node0's clock, in order."""
    message = f"reached installation stage {stage}"
    return [datetime.fromisoformat(event.event_time) for event in events if message in event.message]


def _ready_figure(seconds: float, plain: Plain) -> Figure:
    return Figure(
        name="power on → Ready ÷ (boot + plain kubeadm init)",
        value=seconds / (plain.boot + plain.kubeadm),
        unit="×",
        aim=2.0,
        costs=f"{seconds:.0f} s against {plain.boot:.0f} s + {plain.kubeadm:.0f} s",
        cut="starting kubelet and etcd while the image is still being written",
    )


def _write_figure(seconds: float, size: int, plain: Plain) -> Figure:
    return Figure(
        name="disk write ÷ sequential copy",
        value=seconds / (size / plain.copy_rate),
        unit="×",
        aim=1.3,
        costs=f"{seconds:.1f} s for {size / 1e6:.0f} MB, read back too; a copy {plain.copy_rate / 1e6:.0f} MB/s",
        cut="checking what is on the disk while the next block is read",
    )


def _write_seconds(events: tuple[Event, ...]) -> float:
    """Seconds from the report of the writing stage to the report of the next stage."""
    begun, done = (reached(events, stage)[0] for stage in (Stage.WRITING_IMAGE, Stage.COPYING_REGISTRY_DATA))
    return (done - begun).total_seconds()
