"""The bootstrap's calls to node0's REST API: it moves the store, and reports stages for its own host."""

from __future__ import annotations

import logging

from agent.api.client import Client, Unreachable, pinned_tls, service_url
from agent.api.operations import MOVE_STORE, UPDATE_PROGRESS
from agent.api.steps import Progress
from agent.machine import Machine
from agent.machine.backoff import delays
from agent.model.host_paths import CA_FILE, LIVE_TOKEN_FILE, NODE0_DIRECTORY
from agent.model.problems import Problem
from agent.model.states import Stage
from node0.bootstrap.facts import BootstrapFacts

log = logging.getLogger(__name__)

USER_TOKEN_FILE = f"{NODE0_DIRECTORY}/user.token"
HOST_TOKEN_FILE = LIVE_TOKEN_FILE


def service_client(machine: Machine, facts: BootstrapFacts, token_file: str) -> Client:
    return Client(
        url=service_url(facts.intent.rendezvous_ip),
        tls=pinned_tls(machine.files.at(CA_FILE)),
        token=machine.files.read(token_file).strip(),
    )


async def move_store(machine: Machine, service: Client, cluster_id: str) -> None:
    """Move the service's database to the state file system. A repeat changes nothing.

    `service` carries the user's token. Waits for a service that does not answer: systemd starts one that has died.
    """
    pauses = delays()
    while True:
        try:
            await service.call(MOVE_STORE, cluster_id=cluster_id)
        except Unreachable as problem:
            log.info("%s", problem.title)
            await machine.clock.sleep(next(pauses))
        else:
            return


class Stages:
    """Reports the stages. A report that fails does not stop the bootstrap: the next one replaces it."""

    def __init__(self, service: Client, facts: BootstrapFacts) -> None:
        self._service = service
        self._facts = facts

    async def report(self, stage: Stage, info: str = "") -> None:
        log.info("%s %s", stage, info)
        try:
            await self._service.call(
                UPDATE_PROGRESS,
                Progress(current_stage=stage, progress_info=info),
                timeout=10.0,
                infra_env_id=self._facts.intent.infra_env_id,
                host_id=self._facts.host_id,
            )
        except Problem as problem:
            log.warning("%r was not reported: %s", stage, problem)
