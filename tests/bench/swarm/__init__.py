"""Many simulated hosts install with the real service over TLS; measures the service's CPU, memory and latency.

Service and driver are the real ones; the hosts reply as recorded machines did (`tests/data/machines`). The
hosts themselves are not measured.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.bench.figure import Figure
from tests.bench.swarm.run import install


def installs(hosts: int, times: int = 1) -> list[Figure]:
    """`times` installs of `hosts` hosts, one after the other; returns the figures of the last.

    Raises AssertionError if an install ends without every host and the cluster installed.
    """
    figures: list[Figure] = []
    for number in range(1, times + 1):
        with tempfile.TemporaryDirectory(prefix="cluster0-swarm-") as directory:
            figures = asyncio.run(install(Path(directory), hosts))
        print(f"install {number} of {times}: every host and the cluster are installed", file=sys.stderr)  # noqa: T201
    return figures
