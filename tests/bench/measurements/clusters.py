"""Three control planes from one ISO, against a single node on the same computer."""

from __future__ import annotations

from collections.abc import Iterator

from agent.model.states import Stage
from tests.bench.figures import RATIO, Figure, Samples
from tests.bench.installs import Install, install
from tests.bench.sampling import alternate
from tests.bench.sites import Bench
from vm_harness.lab.cluster.topologies import TOPOLOGIES

SINGLE = Figure(
    id="single",
    title="single node, power on → installed",
    unit="min",
    goal=2.5,
    what="One host, from power on until `cluster0 wait-for install-complete` ends: the node is Ready from its disk.",
)
COMPACT = Figure(
    id="compact",
    title="three control planes, power on → installed",
    unit="min",
    goal=6,
    what="Three hosts that are powered on together and share the CPUs of this computer, until all are Ready.",
)
COMPACT_TO_SINGLE = Figure(
    id="compact-to-single",
    title="three control planes ÷ single node",
    unit=RATIO,
    goal=1.6,
    parts=("compact", "single"),
    part_unit="min",
    what="The two figures above, in turn. Control planes join one after the other.",
)
NODE0_RETURN = Figure(
    id="node0-return",
    title="last other host Done → node0 Done",
    unit="s",
    what="Of three control planes, by node0's clock. node0 stops its control plane in order, reboots from its disk and "
    "starts it again.",
)
FIGURES = (SINGLE, COMPACT, COMPACT_TO_SINGLE, NODE0_RETURN)


def take(bench: Bench) -> Iterator[Samples]:
    pairs = alternate(lambda: install(bench, TOPOLOGIES["compact"]), lambda: install(bench, TOPOLOGIES["sno"]))
    compact, single = [pair.first for pair in pairs], [pair.second for pair in pairs]
    hosts = compact[-1].value.hosts
    yield SINGLE.of(single, _minutes, hosts)
    yield COMPACT.of(compact, _minutes, hosts)
    yield COMPACT_TO_SINGLE.ratio(pairs, _minutes, _minutes, hosts)
    yield NODE0_RETURN.of(compact, _until_node0_is_back, hosts)


def _minutes(install: Install) -> float:
    return install.seconds / 60


def _until_node0_is_back(install: Install) -> float:
    *_, last_other, node0 = install.reached(Stage.DONE)
    return (node0 - last_other).total_seconds()
