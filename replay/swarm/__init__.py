"""Many simulated hosts install with the real service over TLS; measures the service's CPU, memory and latency.

Service and driver are the real ones; the hosts reply as recorded machines did (`replay/machines`). The hosts
themselves are not measured.
"""

from __future__ import annotations

import asyncio
import resource
import tempfile
from pathlib import Path

from agent.model.problems import Problem
from cli.progress import step
from replay.swarm.figures import SwarmFigure
from replay.swarm.run import install


def installs(hosts: int, times: int = 1) -> list[SwarmFigure]:
    """`times` installs of `hosts` hosts, one after the other; returns the figures of the last.

    Raises Problem if the service does not start, or an install ends without every host and the cluster installed.
    """
    _allow_a_connection_for_each_host()
    figures: list[SwarmFigure] = []
    for number in range(1, times + 1):
        with (
            step(f"install {number} of {times}, with {hosts} hosts"),
            tempfile.TemporaryDirectory(prefix="cluster0-swarm-") as directory,
        ):
            figures = _install(Path(directory), hosts)
    return figures


def _install(directory: Path, hosts: int) -> list[SwarmFigure]:
    try:
        return asyncio.run(install(directory, hosts))
    except ExceptionGroup as group:
        problems = group.subgroup(Problem)
        if problems is None:
            raise
        raise _first(problems) from None


def _first(group: BaseException) -> BaseException:
    while isinstance(group, ExceptionGroup):
        group = group.exceptions[0]
    return group


def _allow_a_connection_for_each_host() -> None:
    """The usual limit of 1,024 open files is for programs that use select(2); the service inherits the higher one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
