"""The resident agent and a service on loopback, over TLS with a pinned CA."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.model.host_documents import HostMatch
from agent.model.host_paths import AGENT_TOKEN_FILE, CA_FILE, HOST_FILE, INTENT_FILE
from tests.fakes.agent.agent_lab import Lab, cancelled_at_the_end
from tests.fakes.agent.machine import Programs, add_nic, machine_in
from tests.fakes.agent.scripted_service import ScriptedService
from tests.fakes.inputs.intents import intent
from tests.fakes.system.tls import LoopbackTls, make_loopback_tls


@pytest.fixture
def tls(tmp_path: Path) -> LoopbackTls:
    return make_loopback_tls(tmp_path)


@pytest.fixture
async def lab(tmp_path: Path, tls: LoopbackTls) -> AsyncIterator[Lab]:
    machine = machine_in(tmp_path, hostname="host1")
    machine.files.save(INTENT_FILE, intent(rendezvous_ip="127.0.0.1"))
    machine.files.save(HOST_FILE, HostMatch(index=-1, why="no host of the inputs"))
    machine.files.write(CA_FILE, tls.ca.read_text())
    machine.files.write(AGENT_TOKEN_FILE, "token-of-agents\n", mode=0o600)
    add_nic(machine.files.root, "eth0", "52:54:00:00:00:01")
    programs = Programs(tmp_path / "bin")
    programs.add("systemctl")
    programs.add("chronyc")
    node0 = ScriptedService(tls)
    await node0.start()
    async with cancelled_at_the_end() as tasks:
        yield Lab(machine, node0, tasks, programs)
    await node0.stop()
