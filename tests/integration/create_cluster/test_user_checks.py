"""A user's own check, from the directory of the inputs to the validation that holds up the install, and its waiver."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.api import operations
from agent.api import requests as q
from agent.api.checks import UserChecksReply
from agent.api.hosts import Host
from agent.api.operations import TokenRole
from agent.api.steps import Step, StepType
from agent.checks.user import run_all
from agent.machine import Machine
from agent.machine.files import Files
from agent.model.states import ClusterStatus
from image_build.cluster_iso.live_config import live_config
from image_build.cluster_iso.site_files import check_files
from image_build.credentials.fresh import make
from image_build.credentials.one_time import Identity
from inputs.extra_files.checks import read_checks
from replay.programs import Service
from replay.site import Site, make_site
from tests.fakes.agent.agent import Agent
from tests.fakes.image_build.ignition import written_files
from tests.fakes.node0.driver import register
from tests.fakes.node0.programs import driving, serving

pytestmark = pytest.mark.integration

SCRIPT = """#!/usr/bin/python3
import json, sys
facts = json.load(sys.stdin)
print(json.dumps({"status": "failure", "message": f"{facts['cluster']['name']} has no asset tag."}))
"""


class CheckedAgent(Agent):
    """Runs the checks that the ISO brought it, for real."""

    def __init__(self, service: Service, machine: Machine) -> None:
        super().__init__(service)
        self._machine = machine

    async def answer(self, step: Step) -> None:
        if step.step_type != StepType.USER_CHECKS:
            return await super().answer(step)
        return await self.reply(step, UserChecksReply(checks=await run_all(self._machine, self.service.site.intent)))


def boot(directory: Path, site: Site) -> Machine:
    """A live host whose files are those of the Ignition config that goes into the ISO."""
    (directory / "checks").mkdir()
    (directory / "checks/asset-tag").write_text(SCRIPT)
    checks, wrong = read_checks(directory)
    assert not wrong
    identity = Identity(name="demo", base_domain="example.test", rendezvous_ip="127.0.0.1", api_address="127.0.0.1")
    config = live_config(site.intent, make(identity, datetime.now(UTC)), check_files(checks))
    files = Files(directory / "host")
    for path, content, mode in written_files(config):
        files.write(path, content, mode=mode)
    return Machine(files=files)


async def test_a_user_check_of_the_inputs_blocks_the_install_until_it_is_ignored(tmp_path: Path) -> None:
    site = make_site(tmp_path / "node0")
    async with serving(site) as service, driving(service), service.client(TokenRole.USER) as user:
        agent = CheckedAgent(service, boot(tmp_path, site))
        async with agent.client:
            await register(agent)
            while not (failing := await failing_user_checks(user, agent)):
                for step in await agent.steps(wait=5):
                    await agent.answer(step)
            assert failing == {"user-asset-tag": "demo has no asset tag."}
            cluster = await user.call(operations.GET_CLUSTER, cluster_id=site.intent.cluster_id)
            assert cluster.status is ClusterStatus.INSUFFICIENT
            waiver = q.IgnoredValidations(host_validation_ids='["user-asset-tag"]', cluster_validation_ids="[]")
            await user.call(operations.SET_IGNORED_VALIDATIONS, waiver, cluster_id=site.intent.cluster_id)
            await agent.wait_for_install()


async def failing_user_checks(user: Any, agent: Agent) -> dict[str, str]:
    """Ids and messages of the user's checks that do not hold."""
    host: Host = await user.call(operations.GET_HOST, **agent.path)
    results = json.loads(host.validations_info or "{}").get("user", [])
    return {item["id"]: item["message"] for item in results if item["status"] != "success"}
