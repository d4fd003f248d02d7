"""The agent on an installed host, and on a host without configuration."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agent.kubeadm.kinds import KUBELET_KUBECONFIG
from agent.machine.kernel import BOOT_ID
from agent.model.host_documents import AgentPhase, AgentStatus, Installed
from agent.model.host_paths import INSTALLED_FILE, INSTALLED_TOKEN_FILE, NODE0_DONE_FILE, STATUS_FILE
from agent.model.states import InstallRole
from agent.service.installed import DONE_REPORTED_FILE
from agent.service.run_agent import run_agent
from tests.fakes.agent.agent_lab import Lab
from tests.fakes.agent.machine import machine_in
from tests.fakes.agent.scripted_service import HOST_TOKEN
from tests.fakes.inputs.intents import CLUSTER_ID, INFRA_ENV_ID

INSTALLED = Installed(
    cluster_id=CLUSTER_ID, infra_env_id=INFRA_ENV_ID, host_id="host", role=InstallRole.BOOTSTRAP, boot_device="/dev/vda"
)
COLLECT_SECONDS = 90  # it starts about a hundred processes


async def test_an_installed_agent_does_not_start_node0_again(lab: Lab) -> None:
    lab.machine.files.write(NODE0_DONE_FILE, "")
    lab.set_address("127.0.0.1")
    lab.start_agent()
    await lab.until(lambda: lab.status.is_node0)
    assert not [call for call in lab.programs.calls if call.startswith("systemctl")]


async def test_a_later_boot_of_a_host_that_is_done_reports_nothing(lab: Lab) -> None:
    files = lab.machine.files
    files.save(INSTALLED_FILE, INSTALLED)
    files.write(INSTALLED_TOKEN_FILE, HOST_TOKEN, mode=0o600)
    files.write(DONE_REPORTED_FILE, "")
    lab.start_agent()
    await lab.until(lambda: lab.status.phase is AgentPhase.INSTALLED)
    assert not lab.node0.tokens


async def test_an_installed_host_that_fails_hands_in_its_logs(lab: Lab) -> None:
    """node0 gives it no instructions, so it uploads them by itself."""
    files = lab.machine.files
    files.save(INSTALLED_FILE, INSTALLED)
    files.write(INSTALLED_TOKEN_FILE, HOST_TOKEN, mode=0o600)
    files.write(BOOT_ID, "1\n")
    files.write(KUBELET_KUBECONFIG, "clusters: []\n")
    lab.programs.add("timeout")  # collect.sh runs its commands with it
    lab.start_agent()
    uploaded = await asyncio.wait_for(lab.node0.logs.get(), COLLECT_SECONDS)
    assert uploaded == {"logs_type": "host", "infra_env_id": INFRA_ENV_ID, "host_id": "host"}
    assert lab.status.phase is AgentPhase.FAILED
    assert [problem.code for problem in lab.status.problems] == ["kubeconfig-invalid"]


async def test_the_agent_of_an_unconfigured_image_reports_that_and_ends(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    await run_agent(machine)
    status = machine.files.load(STATUS_FILE, AgentStatus)
    assert status is not None
    assert status.phase is AgentPhase.UNCONFIGURED
