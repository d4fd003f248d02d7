"""node0 loses its disk, and its service starts with an empty database: what a host that is installed already shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.api import operations
from agent.api.client import Client
from agent.machine.kernel import BOOT_ID
from agent.model.host_documents import AgentPhase, AgentStatus, Installed
from agent.model.states import InstallRole
from agent.service.installed import report_installed
from agent.status import StatusBoard
from replay.site import Site
from tests.fakes.agent.agent import Agent
from tests.fakes.agent.machine import machine_in

pytestmark = pytest.mark.integration


async def test_an_installed_host_that_node0_does_not_know_any_more_says_how_to_go_on(
    agent: Agent, user: Client, site: Site, tmp_path: Path
) -> None:
    await user.call(operations.DEREGISTER_HOST, **agent.path)
    machine = machine_in(tmp_path / "host", hostname="node1")
    machine.files.write(BOOT_ID, "2\n")
    board = StatusBoard(machine, AgentStatus(phase=AgentPhase.WAITING_FOR_NODE0))
    installed = Installed(
        cluster_id=site.intent.cluster_id, infra_env_id=site.intent.infra_env_id, host_id=agent.id,
        role=InstallRole.WORKER, boot_device="/dev/vda",
    )  # fmt: skip
    await report_installed(machine, site.intent, installed, board, agent.client)
    (problem,) = board.status.problems
    assert (board.status.phase, problem.code) == (AgentPhase.FAILED, "node0-started-over")
    assert "Install again" in problem.remedy
