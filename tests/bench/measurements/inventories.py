"""A thousand hosts that report inventories: what each report costs node0's service."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from tests.bench.figures import Figure, Samples
from tests.bench.inventories import CLIENTS, HOSTS, Costs, measured_costs
from tests.bench.load import observed
from tests.bench.sampling import Measured, repeat
from tests.bench.sites import Bench

KINDS = {
    "first": "the first inventory of each host.",
    "changed": "an inventory that differs from the last one, of hosts that are checked and known.",
    "unchanged": "the same inventory once more.",
}
"""As in `Costs` → what it is."""

HOW = f"{HOSTS} hosts and {CLIENTS} clients, plain HTTP, the database in RAM"


def _cpu(kind: str) -> Figure:
    return Figure(
        id=f"inventory-{kind}-cpu", title=f"{HOSTS} hosts: {kind} inventory, CPU", unit="ms", goal=1,
        what=f"CPU time of the service, in user and kernel mode, for {KINDS[kind]} {HOW}. At 1 ms, a core accepts a "
        "thousand a second.",
    )  # fmt: skip


def _rate(kind: str) -> Figure:
    return Figure(
        id=f"inventory-{kind}", title=f"{HOSTS} hosts: {kind} inventories", unit="/s",
        what=f"how many the service accepts in a second: {KINDS[kind]} {HOW}.",
    )  # fmt: skip


CPU = {kind: _cpu(kind) for kind in KINDS}
RATE = {kind: _rate(kind) for kind in KINDS}
FIGURES = (*CPU.values(), *RATE.values())


def take(_: Bench) -> Iterator[Samples]:
    runs = repeat(_costs)
    for kind in KINDS:
        yield CPU[kind].of(runs, attrgetter(f"{kind}.cpu"), hosts="simulated")
        yield RATE[kind].of(runs, attrgetter(f"{kind}.rate"), hosts="simulated")


def _costs() -> Measured[Costs]:
    with observed() as stretch:
        found = measured_costs()
    return Measured(found, stretch.load)
