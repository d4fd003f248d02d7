"""The NTP check against a real chronyd, which has a real server in another network namespace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes.network_host import BOTH_ROOTS, network_host

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root"),
    BOTH_ROOTS,
]

SERVER = "192.0.2.1"
ASK = f"""
import asyncio
from agent.checks.ntp import ntp_sources
from agent.machine import Machine

async def until_synced():
    while True:
        states = {{source.source_name: source.source_state for source in await ntp_sources(Machine(), ["{SERVER}"])}}
        if states == {{"{SERVER}": "synced"}}:
            return
        await asyncio.sleep(0.2)

asyncio.run(asyncio.wait_for(until_synced(), 40))
"""


def test_a_source_is_added_and_followed(root: Path) -> None:
    with network_host(root) as server, network_host(root) as client:
        client.plug_cable_to(server, "eth0")
        server.run("ip", "address", "add", f"{SERVER}/24", "dev", "eth0")
        client.run("ip", "address", "add", "192.0.2.2/24", "dev", "eth0")
        # -x: neither touches this machine's clock.
        with (
            server.daemon("chronyd", "-x", "-d", "local stratum 8", "allow", log="/run/chronyd.log"),
            client.daemon("chronyd", "-x", "-d", "cmdport 0", log="/run/chronyd.log"),
        ):
            asked = client.run(client.python, "-c", ASK)
            assert asked.returncode == 0, asked.stderr + client.at("/run/chronyd.log").read_text()
