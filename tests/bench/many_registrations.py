"""Hosts as namespaces, from power on until node0 has the inventory of each.

`python -m tests.bench.many_registrations HOSTS DIRECTORY` prints the seconds. It is a process of its own because
many hosts log much to standard error.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path

from cli.interruption import ended_like_ctrl_c
from tests.fakes.network.many_hosts import all_registered, powered_on


def registered(hosts: int, directory: Path) -> float:
    """Seconds until the last of them has registered. `directory`: empty."""
    with ExitStack() as stack:
        start = time.monotonic()
        all_registered(stack.enter_context(powered_on(directory, hosts)))
        return time.monotonic() - start


if __name__ == "__main__":
    with ended_like_ctrl_c():
        sys.stdout.write(f"{registered(int(sys.argv[1]), Path(sys.argv[2]))}\n")
