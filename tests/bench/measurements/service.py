"""A thousand simulated hosts: what they cost node0's service."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from replay.swarm import installs
from replay.swarm.site import IN_FLIGHT
from tests.bench.figures import Figure, Samples
from tests.bench.load import observed
from tests.bench.sampling import Measured, repeat
from tests.bench.sites import Bench

HOSTS = 1000


def _figure(id: str, title: str, unit: str, what: str, goal: float | None = None) -> Figure:
    what = f"`cluster0 lab swarm --hosts {HOSTS}`: {what}"
    return Figure(id=f"service-{id}", title=f"{HOSTS} hosts: {title}", unit=unit, what=what, goal=goal)


MEMORY = _figure(
    "memory", "memory of the service", "MiB", "the highest resident memory of the service in the whole install.", 120
)
P99 = _figure(
    "instructions-p99", "instructions, p99", "ms",
    f"of requests for instructions, {IN_FLIGHT} of them in flight, 99 of 100 take at most so long.", 100,
)  # fmt: skip
INSTRUCTIONS = _figure(
    "instructions", "instructions", "/s", f"requests for instructions, {IN_FLIGHT} of them in flight."
)
REGISTRATIONS = _figure("registrations", "registrations", "/s", f"registrations, {IN_FLIGHT} of them in flight.")
KNOWN = _figure(
    "known", "registered → checked and known", "s",
    "from the last registration until every host but one has reported its inventory and its checks.",
)  # fmt: skip
START = _figure(
    "start", "last check → install starts", "s",
    "from the last answer of the last host until the driver has started the install.", 5,
)  # fmt: skip
CPU = _figure("cpu", "CPU of the service, each host", "ms", "CPU time in the whole install, divided by the hosts.")
FIGURES = (MEMORY, P99, INSTRUCTIONS, REGISTRATIONS, KNOWN, START, CPU)

NAMES = {
    MEMORY: "memory of the service, at its highest",
    P99: "instructions, p99",
    INSTRUCTIONS: f"instructions, {IN_FLIGHT} in flight",
    REGISTRATIONS: "registrations",
    KNOWN: "registered to all checked and known",
    START: "last check answered to install started",
    CPU: "CPU of the service, a host",
}
"""As the swarm names them."""


def take(_: Bench) -> Iterator[Samples]:
    runs = repeat(_install)
    for figure, name in NAMES.items():
        yield figure.of(runs, itemgetter(f"{HOSTS} hosts: {name}"), hosts="simulated")


def _install() -> Measured[dict[str, float]]:
    """Name of each figure of the swarm → its value."""
    with observed() as stretch:
        found = installs(HOSTS)
    return Measured({figure.name: figure.value for figure in found}, stretch.load)
