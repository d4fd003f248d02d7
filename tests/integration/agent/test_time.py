"""Time from a real chronyd in another network namespace: a site's own server, and node0 where there is none."""

from __future__ import annotations

import os
from ipaddress import ip_network
from pathlib import Path

import msgspec
import pytest

from agent.model.host_paths import INTENT_FILE
from tests.fakes.inputs.intents import NETWORK, intent
from tests.fakes.network.network_host import BOTH_ROOTS, network_host

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
AGREE = """
import asyncio
from agent.model.intent import ClusterIntent
from agent.model.host_paths import INTENT_FILE
from agent.checks.ntp import ntp_sources
from agent.machine import Machine
from agent.service.time_service import follow_node0, serve_time

async def main():
    machine = Machine()
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    if machine.kernel.has_address(intent.rendezvous_ip):
        await serve_time(machine, intent)
        return
    await follow_node0(machine, intent)
    while [source.source_state for source in await ntp_sources(machine, [])] != ["synced"]:
        await asyncio.sleep(0.2)

asyncio.run(asyncio.wait_for(main(), 40))
"""


def test_chronyd_follows_a_time_source_that_the_agent_adds(root: Path) -> None:
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


@pytest.mark.parametrize("network", [f"{NETWORK}.0/24", "2001:db8::/64"], ids=["ipv4", "ipv6"])
def test_hosts_of_a_site_without_time_servers_follow_node0(root: Path, network: str) -> None:
    addresses = ip_network(network)
    site = msgspec.structs.replace(intent(rendezvous_ip=f"{addresses[10]}"), machine_networks=(network,))
    with network_host(root) as node0, network_host(root) as other:
        other.plug_cable_to(node0, "eth0")
        for number, machine in enumerate((node0, other), start=10):
            own = f"{addresses[number]}/{addresses.prefixlen}"
            machine.run("ip", "address", "add", own, "dev", "eth0", "nodad")  # an address to ask from at once
            machine.at(INTENT_FILE).parent.mkdir(parents=True, exist_ok=True)
            machine.at(INTENT_FILE).write_bytes(msgspec.json.encode(site))
        with (
            node0.daemon("chronyd", "-x", "-d", log="/run/chronyd.log"),
            other.daemon("chronyd", "-x", "-d", log="/run/chronyd.log"),
        ):
            for machine in (node0, other):
                agreed = machine.run(machine.python, "-c", AGREE)
                assert agreed.returncode == 0, agreed.stderr + machine.at("/run/chronyd.log").read_text()
