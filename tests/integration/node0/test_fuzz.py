"""Schemathesis over `/openapi.json` against the real service: whatever is sent, the answer is one that is documented.

A few hundred cases always, more than five thousand with `make fuzz`. Every operation gets a token of a role that may
call it, and mostly the ids of a cluster, an infra-env and a host that exist.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS

from agent.api import operations
from agent.api.client import Refused
from agent.api.clusters import ClusterCreate
from agent.api.infra_envs import InfraEnvCreate
from agent.api.operations import OPERATIONS, STREAM_EVENTS, Operation, TokenRole
from node0.rest import openapi
from replay.programs import Service, free_port
from replay.site import make_site
from tests.fakes.agent.agent import Agent
from tests.fakes.node0.programs import serving

pytestmark = pytest.mark.integration

MEMORY_MIB = 160

# A stream does not end, and is read elsewhere.
BY_ID = {row.operation_id: row for row in OPERATIONS if row is not STREAM_EVENTS}

WANTED = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")


@dataclass
class Fuzzed:
    """A running service and what exists there."""

    runner: asyncio.Runner
    service: Service
    url: str
    agent: Agent
    cases: int = 0

    def restore(self) -> None:
        """The cluster, the infra-env and the host are there, whatever the last operation has done to them."""
        self.runner.run(self._restore())

    async def _restore(self) -> None:
        async with self.service.client(TokenRole.USER) as user, self.agent.client:
            with contextlib.suppress(Refused):
                await user.call(operations.REGISTER_CLUSTER, ClusterCreate(name="demo", openshift_version="v1"))
            with contextlib.suppress(Refused):
                await user.call(operations.REGISTER_INFRA_ENV, InfraEnvCreate(name="demo"))
            await self.agent.register()

    def token(self, operation: Operation[Any, Any]) -> str:
        role = min(operation.roles, key=[TokenRole.USER, TokenRole.HOST, TokenRole.AGENT, TokenRole.WATCHER].index)
        return self.agent.token if role is TokenRole.HOST else self.service.site.token(role)

    def ids(self) -> dict[str, str]:
        intent = self.service.site.intent
        return {"cluster_id": intent.cluster_id, "infra_env_id": intent.infra_env_id, "host_id": self.agent.id}


@pytest.fixture
def fuzzed(tmp_path: Path) -> Iterator[Fuzzed]:
    with asyncio.Runner() as runner:
        port = free_port()
        serves = serving(make_site(tmp_path), "--loopback-port", str(port))
        service = runner.run(serves.__aenter__())
        try:
            yield Fuzzed(runner, service, f"http://127.0.0.1:{port}", Agent(service))
        finally:
            runner.run(serves.__aexit__(None, None, None))


def fuzz(fuzzed: Fuzzed, examples: int) -> None:
    """`examples` cases for every operation; then the service still answers, in bounded memory."""
    schema = schemathesis.openapi.from_dict(openapi.document())
    found = {item.ok().definition.raw["operationId"]: item.ok() for item in _operations(schema)}
    for name, route in BY_ID.items():
        fuzzed.restore()
        _fuzz_operation(fuzzed, found[name], route, examples)
    fuzzed.restore()
    memory = psutil.Process(fuzzed.service.process.pid).memory_info().rss / 2**20
    assert memory < MEMORY_MIB


def _operations(schema: Any) -> Iterator[Any]:
    """Results, of which none is an error in our own document."""
    yield from schema.get_all_operations()


def _fuzz_operation(fuzzed: Fuzzed, operation: Any, route: Operation[Any, Any], examples: int) -> None:
    headers = {"Authorization": fuzzed.token(route)}
    checks = CHECKS.get_by_names(WANTED)

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(), known=st.sampled_from([True, True, True, False]))
    def one(case: Any, known: bool) -> None:
        if known:
            case.path_parameters = {**(case.path_parameters or {}), **_named(case, fuzzed.ids())}
        if case.query:
            case.query.pop("wait", None)  # an answer that is waited for takes as long as it was asked to
        fuzzed.cases += 1
        case.call_and_validate(base_url=fuzzed.url, headers=headers, timeout=10, checks=checks)

    one()


def _named(case: Any, ids: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in ids.items() if name in (case.path_parameters or {})}


@pytest.mark.filterwarnings("ignore")
def test_hundreds_of_requests_get_documented_answers(fuzzed: Fuzzed) -> None:
    fuzz(fuzzed, examples=5)
    assert fuzzed.cases >= 200


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.filterwarnings("ignore")
def test_thousands_of_requests_get_documented_answers(fuzzed: Fuzzed) -> None:
    fuzz(fuzzed, examples=200)
    assert fuzzed.cases >= 5000
