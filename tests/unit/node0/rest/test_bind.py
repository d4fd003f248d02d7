"""A handler that does not match its operation stops the service at start-up, with an error that names it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.api import operations
from agent.api.hosts import Host, HostUpdate
from agent.api.operations import OPERATIONS, UNSUPPORTED
from agent.machine.clock import Clock
from agent.machine.files import Files
from agent.machine.machine import Machine
from node0.join.credential_issuer import JoinCredentialIssuer
from node0.reconcile.state_manager import StateManager
from node0.rest.app import make_app
from node0.rest.metrics.latency import Latencies
from node0.rest.server.auth import Gatekeeper
from node0.rest.server.bind import Handler, bind
from node0.rest.server.middleware import status_of
from node0.store.records import Records
from node0.store.store import Store
from node0.trust import tokens
from node0.trust.host_tokens import HostTokens
from tests.fakes.inputs.intents import intent

OPEN = ("/health", "/ready", "/metrics", "/openapi.json")


def state_manager(directory: Path = Path("/nowhere")) -> StateManager:
    return StateManager(store=Store(directory / "db"), records=Records(), clock=Clock())


GATEKEEPER = Gatekeeper("", cluster_id="", clock=Clock(), state_manager=state_manager())


async def fits(*, infra_env_id: str, host_id: str, body: HostUpdate) -> Host:
    raise NotImplementedError


async def other_body(*, infra_env_id: str, host_id: str, body: Host) -> Host:
    raise NotImplementedError


async def other_reply(*, infra_env_id: str, host_id: str, body: HostUpdate) -> None:
    raise NotImplementedError


async def missing_parameter(*, infra_env_id: str, body: HostUpdate) -> Host:
    raise NotImplementedError


async def extra_parameter(*, infra_env_id: str, host_id: str, body: HostUpdate, force: bool) -> Host:
    raise NotImplementedError


def refusal(handlers: dict[Any, Handler]) -> str:
    with pytest.raises(TypeError) as caught:
        bind(handlers, GATEKEEPER, Latencies(status_of))
    return str(caught.value)


@pytest.mark.parametrize(
    ("handler", "words"),
    [
        (other_body, "v2UpdateHost: its handler's body is not HostUpdate"),
        (other_reply, "v2UpdateHost: its handler returns None"),
        (missing_parameter, "v2UpdateHost: its handler takes no 'host_id'"),
        (extra_parameter, "v2UpdateHost: its handler takes 'force', which the operation does not have"),
    ],
)
def test_a_handler_that_does_not_match_is_refused(handler: Handler, words: str) -> None:
    assert words in refusal({operations.UPDATE_HOST: handler})


def test_an_operation_without_a_handler_is_refused() -> None:
    words = refusal({operations.UPDATE_HOST: fits})
    assert "v2RegisterHost has no handler" in words
    assert "v2UpdateHost " not in words


async def test_the_services_handlers_match_all_operations(tmp_path: Path) -> None:
    manager, machine = state_manager(tmp_path), Machine(files=Files(tmp_path))
    app = make_app(
        state_manager=manager,
        gatekeeper=GATEKEEPER,
        host_tokens=HostTokens(key_pem="", cluster_id="", clock=Clock()),
        issuer=JoinCredentialIssuer(state_manager=manager, machine=machine, intent=intent()),
        intent=intent(),
        machine=machine,
    )
    assert len(app.router.routes()) == len(OPERATIONS) + len(UNSUPPORTED) + len(OPEN)


def test_a_host_token_lasts_at_least_as_long_as_the_registration_token() -> None:
    """This holds also while node0's clock is years behind."""
    key, far = tokens.new_key(), datetime(2100, 1, 1, tzinfo=UTC)
    caller = tokens.Claims(role=operations.TokenRole.AGENT, cluster_id="c", iat=0, exp=int(far.timestamp()))
    token = HostTokens(key_pem=key, cluster_id="c", clock=Clock()).mint("h", registered_with=caller, jti="j")
    assert tokens.verify(key, token, cluster_id="c", now=datetime(2099, 1, 1, tzinfo=UTC)).host_id == "h"
