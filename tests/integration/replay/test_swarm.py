"""A swarm: simulated hosts that install with node0's real programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.model.problems import Problem
from replay import programs
from replay.site import make_site
from replay.swarm.run import install
from tests.fakes.system.processes import assert_ended

pytestmark = pytest.mark.integration

# Prints the process ids of the swarm's programs once they run, and waits.
RUNNING = """
import asyncio, pathlib, sys
from replay.swarm.site import swarm

async def main():
    async with swarm(pathlib.Path(sys.argv[1]), 2):
        print(pathlib.Path("/proc/thread-self/children").read_text(), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_every_host_installs_and_the_service_is_measured(tmp_path: Path) -> None:
    allowed = os.sched_getaffinity(0)
    figures = {figure.name.removeprefix("5 hosts: "): figure.value for figure in await install(tmp_path, 5)}
    assert figures["CPU of the service, in all"] > 0
    assert figures["memory of the service, at its highest"] > figures["memory of the service, idle"] > 0
    assert figures["install started to the last host Done"] > 0
    assert os.sched_getaffinity(0) == allowed


async def test_a_service_that_does_not_start_says_why(tmp_path: Path) -> None:
    site = make_site(tmp_path)
    site.files.at("/etc/cluster0/node0/token.key").unlink()
    with pytest.raises(Problem) as caught:
        async with programs.serving(site, log=tmp_path / "log"):
            pass
    assert caught.value.code == "service-not-started"
    assert "token.key" in caught.value.detail


def test_a_killed_swarm_leaves_no_process(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", RUNNING, str(tmp_path)], stdout=subprocess.PIPE, text=True) as swarm:
        assert swarm.stdout is not None
        children = [int(pid) for pid in swarm.stdout.readline().split()]
        swarm.kill()
    assert len(children) == len(("service", "driver"))
    for pid in children:
        assert_ended(pid)
