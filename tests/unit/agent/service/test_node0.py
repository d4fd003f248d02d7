"""A host is node0 while it has the rendezvous address."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from agent.machine import Link
from agent.model.host_documents import AgentPhase, HostMatch
from agent.model.host_paths import HOST_FILE, INTENT_FILE, STATUS_FILE
from agent.model.network import NetworkModel
from agent.service.run_agent import LOOK_SECONDS
from tests.fakes.agent.agent_lab import ANSWER_SECONDS, Lab
from tests.fakes.agent.machine import ScriptedNetlink, ScriptedPackets
from tests.fakes.inputs.intents import host, intent, mac, nic


async def test_the_host_becomes_node0_when_it_gets_the_rendezvous_address(lab: Lab) -> None:
    lab.start_agent()
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.polls.get()
    assert not lab.status.is_node0
    lab.set_address("127.0.0.1")
    await lab.until(lambda: "systemctl start --no-block cluster0-node0.target" in lab.programs.calls)
    await lab.until(lambda: lab.status.addresses == ("127.0.0.1",))
    assert lab.status.is_node0


async def test_the_host_stops_being_node0_when_the_rendezvous_address_stays_away(lab: Lab) -> None:
    lab.set_address("127.0.0.1")
    lab.start_agent()
    await lab.until(lambda: lab.status.is_node0)
    lab.set_address()
    await lab.until(lambda: not lab.status.is_node0)
    await lab.until(lambda: "systemctl stop --no-block cluster0-node0.target" in lab.programs.calls)


async def test_the_agent_stops_node0_that_an_earlier_agent_started(lab: Lab) -> None:
    lab.start_agent()
    await lab.until(lambda: "systemctl stop --no-block cluster0-node0.target" in lab.programs.calls)


async def test_node0_gives_the_time_where_the_site_has_no_server(lab: Lab) -> None:
    lab.start_agent()
    await lab.until(lambda: "chronyc add server 127.0.0.1 iburst" in lab.programs.calls)
    lab.set_address("127.0.0.1")
    await lab.until(lambda: "chronyc allow 192.168.122.0/24" in lab.programs.calls)
    calls_since = lab.programs.calls[lab.programs.calls.index("chronyc delete 127.0.0.1") :]
    assert calls_since[1:2] == ["chronyc local stratum 10"]


async def test_the_sites_time_servers_are_enough(lab: Lab) -> None:
    given = msgspec.structs.replace(intent(rendezvous_ip="127.0.0.1"), ntp_sources=("192.0.2.123",))
    lab.machine.files.save(INTENT_FILE, given)
    lab.set_address("127.0.0.1")
    lab.start_agent()
    await lab.until(lambda: lab.status.phase is AgentPhase.REGISTERED)
    assert not [call for call in lab.programs.calls if call.startswith("chronyc")]


async def test_another_host_with_the_rendezvous_address_is_shown_while_it_is_there(lab: Lab) -> None:
    assert isinstance(lab.machine.packets, ScriptedPackets)
    assert isinstance(lab.machine.netlink, ScriptedNetlink)
    lab.machine.netlink.set_links(Link("eth0", mac(1), "", 1500, "", ()))
    lab.set_address("127.0.0.1")
    lab.start_agent()
    lab.machine.packets.others = {mac(9)}
    await lab.until(lambda: bool(lab.status.conflicts))
    (conflict,) = lab.status.conflicts
    assert (conflict.code, mac(1) in conflict.title, mac(9) in conflict.title) == ("address-conflict", True, True)
    lab.machine.packets.others = set()
    await lab.until(lambda: not lab.status.conflicts)


async def test_a_host_with_the_rendezvous_address_in_its_settings_starts_node0_before_it_has_it(lab: Lab) -> None:
    leader = host(1, NetworkModel(interfaces=(nic("eth0", 1, "127.0.0.1/8"),)))
    lab.machine.files.save(INTENT_FILE, intent(leader, rendezvous_ip="127.0.0.1"))
    lab.machine.files.save(HOST_FILE, HostMatch(index=0, why="by its MAC"))
    lab.start_agent()
    await lab.until(lambda: "systemctl start --no-block cluster0-node0.target" in lab.programs.calls)
    assert not lab.status.is_node0


async def test_the_agent_waits_until_it_is_known_which_host_this_is(lab: Lab) -> None:
    lab.machine.files.at(HOST_FILE).unlink()
    lab.start_agent()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(5 * LOOK_SECONDS):
            await lab.node0.polls.get()
    assert not lab.machine.files.at(STATUS_FILE).exists()
    lab.machine.kernel.set_hostname("named")
    lab.machine.files.save(HOST_FILE, HostMatch(index=-1, why="no host of the inputs"))
    async with asyncio.timeout(ANSWER_SECONDS):
        await lab.node0.polls.get()
    assert lab.status.hostname == "named"
