"""`make bench`: measures the README's performance goals, as ratios of two times of the same run.

Prints a table on standard output and writes `bench.json`. Takes about twenty minutes under emulation, most of it in two
virtual machines: one is installed, the other stays live so that plain tools can be timed on it. Before them thirty
hosts as namespaces register; after them swarms of simulated hosts are installed (`cluster0 lab swarm`).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import msgspec

from replay.swarm import installs
from tests.bench.create_image import measure_create_image, measure_size
from tests.bench.figure import Figure, show
from tests.bench.installed_host import measure_install
from tests.bench.live_host import measure_live
from tests.bench.many_hosts import measure_many_hosts
from tests.bench.registration import measure_registration
from tests.bench.sites import Bench

RESULT = Path("bench.json")
SWARMS = (30, 100)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="cluster0-bench-", dir="/var/tmp") as directory:
        bench = Bench(Path(directory))
        figures = [*measure_create_image(bench), *measure_many_hosts(bench), *measure_size(bench)]
        figures += measure_registration(bench)
        live, plain = measure_live(bench)
        figures += [*live, *measure_install(bench, plain)]
    figures += [Figure(**msgspec.structs.asdict(found)) for hosts in SWARMS for found in installs(hosts)]
    RESULT.write_bytes(msgspec.json.format(msgspec.json.encode(figures)))
    show(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
