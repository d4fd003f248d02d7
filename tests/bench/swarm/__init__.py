"""Many simulated hosts and the real service over TLS: what they cost it, and that every install succeeds.

Service and driver are the real ones; the hosts answer as recorded machines did (`tests/data/machines`). The hosts
themselves are not measured.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.bench.figure import Figure
from tests.bench.swarm.run import install


def installs(hosts: int, times: int = 1) -> list[Figure]:
    """`times` installs of `hosts` hosts, one after the other; gives the figures of the last.

    Raises AssertionError where one does not end with every host, and then the cluster, installed.
    """
    figures: list[Figure] = []
    for number in range(1, times + 1):
        with tempfile.TemporaryDirectory(prefix="cluster0-swarm-") as directory:
            figures = asyncio.run(install(Path(directory), hosts))
        print(f"install {number} of {times}: every host and the cluster are installed", file=sys.stderr)  # noqa: T201
    return figures
