"""`make bench-compact`: three control planes from one ISO, against a single node on the same machine.

Under emulation the three hosts share the cores of one. The aim holds for computers where CPU is not the limit.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agent.model.states import Stage
from tests.bench.figure import Figure, show
from tests.bench.installed_host import Install, installed, reached
from tests.bench.sites import Bench
from vm_harness.lab.cluster.topologies import TOPOLOGIES

TIMEOUT_SECONDS = 9000.0


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="cluster0-bench-", dir="/var/tmp") as directory:
        show(measure_compact(Bench(Path(directory))))
    return 0


def measure_compact(bench: Bench) -> Iterator[Figure]:
    single, compact = (_install(bench, name) for name in ("sno", "compact"))
    yield Figure(
        name="compact, power on → Ready ÷ single node",
        value=compact.seconds / single.seconds,
        unit="×",
        aim=1.6,
        costs=f"{compact.seconds:.0f} s against {single.seconds:.0f} s; control planes join one after the other",
        cut="more CPUs: the hosts share this machine's",
    )
    *_, last_other, node0 = reached(compact.events, Stage.DONE)
    yield Figure(
        name="compact, last host Done → node0 back Ready",
        value=(node0 - last_other).total_seconds(),
        unit="s",
        costs="node0 stops its control plane in order, reboots from its disk and starts it again",
        cut="nothing that keeps etcd's quorum",
    )


def _install(bench: Bench, name: str) -> Install:
    """Removes the lab at the end, so that the next one shares the computer with no other."""
    with installed(bench, name, TOPOLOGIES[name], timeout=TIMEOUT_SECONDS) as install:
        return install


if __name__ == "__main__":
    sys.exit(main())
